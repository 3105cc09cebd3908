package io.ostraka.lite.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.lite.TestingServers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.curator.test.TestingServer;

/** A real ZooKeeper server, worker processes that all host the same jobs, and a recorder of their events. */
final class ProcessCluster implements AutoCloseable {
    private final Duration sessionTimeout;
    private final List<HostedJob> jobs;
    private final Recorder recorder = new Recorder();
    private final TestingServer server;
    private final Observer observer;
    private final Map<String, WorkerProcess> workers = new ConcurrentHashMap<>();
    private int requests;

    ProcessCluster(Path directory, Duration sessionTimeout, HostedJob... jobs) {
        this.sessionTimeout = sessionTimeout;
        this.jobs = List.of(jobs);
        this.server = TestingServers.start(directory);
        this.observer = new Observer(server.getConnectString(), this.jobs, this::nameOf, recorder);
    }

    private String nameOf(long pid) {
        return workers.values().stream()
                .filter(worker -> worker.pid() == pid)
                .map(WorkerProcess::name)
                .findFirst()
                .orElse("process " + pid);
    }

    /** Starts a worker and returns at once. */
    WorkerProcess start(String name) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(server.getConnectString(), "" + sessionTimeout.toMillis()));
        jobs.forEach(job -> arguments.add(job.argument()));
        WorkerProcess worker = new WorkerProcess(name, arguments, recorder);
        workers.put(name, worker);
        return worker;
    }

    /** Starts workers, and waits until each owns an item of every job. */
    void startAndAwaitItems(String... names) throws IOException, InterruptedException {
        for (String name : names) {
            start(name);
        }
        for (String name : names) {
            for (HostedJob job : jobs) {
                recorder.await(
                        name + " to get an item of " + job.name(),
                        event -> event.kind() == Event.Kind.ASSIGNED
                                && event.worker().equals(name)
                                && event.job().equals(job.name()));
            }
        }
    }

    WorkerProcess worker(String name) {
        return workers.get(name);
    }

    /** Kills workers with SIGKILL: signals all of them first, then waits for each. */
    void kill(String... names) throws InterruptedException {
        for (String name : names) {
            worker(name).signal(true);
        }
        for (String name : names) {
            assertThat(worker(name).awaitExit()).as("exit of " + name).isEqualTo(128 + 9);
        }
    }

    /** Makes a worker trigger a run of a job in which the given items are held. Returns the run's id. */
    String execute(String worker, String job, String... held) throws IOException, InterruptedException {
        String request = "request-" + ++requests;
        worker(worker).execute(request, job, held);
        String run = recorder.await(
                        worker + " to trigger a run",
                        event -> event.kind() == Event.Kind.TRIGGERED
                                && event.detail().equals(request))
                .run();
        observer.follow(job, run);
        return run;
    }

    /** Returns the items that the latest plan assigns to a worker. */
    List<String> itemsOf(String worker, String job) {
        return items(job).stream()
                .filter(item -> worker.equals(observer.owner(job, item)))
                .toList();
    }

    private List<String> items(String job) {
        int count = jobs.stream()
                .filter(hosted -> hosted.name().equals(job))
                .findFirst()
                .orElseThrow()
                .items();
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    void awaitAssigned(String worker, String job, String item) throws InterruptedException {
        recorder.await(
                "the plan to assign item " + item + " to " + worker,
                event -> event.is(Event.Kind.ASSIGNED, job, item)
                        && event.worker().equals(worker));
    }

    /** Waits for an event of an attempt at an item of a run, and returns it. */
    Event await(Event.Kind kind, String job, String item, String run, int attempt) throws InterruptedException {
        return recorder.await(
                "attempt " + attempt + " at item " + item + " of " + run + " to be " + kind,
                event -> event.is(kind, job, item, run) && event.attempt() == attempt);
    }

    /** Waits until ZooKeeper records the end of an item in a run. Checks the outcome. */
    void awaitRecorded(String job, String item, String run, ItemOutcome outcome) throws InterruptedException {
        Event recorded = recorder.await(
                "the end of item " + item + " of " + run, event -> event.is(Event.Kind.RECORDED, job, item, run));
        assertThat(recorded.detail()).as(recorded + "; events:\n%s", recorder).isEqualTo(outcome.name());
    }

    /**
     * Waits until all items of a run have succeeded. A start is read from the worker's output and the end from ZooKeeper,
     * so either may be seen first.
     */
    void awaitSuccess(String job, String run) throws InterruptedException {
        for (String item : items(job)) {
            recorder.await(
                    "the start of item " + item + " of " + run, event -> event.is(Event.Kind.STARTED, job, item, run));
            awaitRecorded(job, item, run, ItemOutcome.SUCCEEDED);
        }
    }

    /** Returns the starts of an item in a run so far, in order, as {@code worker#attempt}. */
    List<String> starts(String job, String item, String run) {
        return recorder.all(event -> event.is(Event.Kind.STARTED, job, item, run)).stream()
                .map(start -> start.worker() + "#" + start.attempt())
                .toList();
    }

    Recorder recorder() {
        return recorder;
    }

    /** Checks the invariants that every history must satisfy. */
    void verify() {
        assertThat(Runs.violations(recorder)).as("events:\n%s", recorder).isEmpty();
    }

    @Override
    public void close() {
        workers.values().forEach(WorkerProcess::destroy);
        observer.close();
        TestingServers.close(server);
    }
}
