package io.ostraka.faults.soak;

import io.ostraka.api.JobConfiguration;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.HistoryChecker;
import io.ostraka.faults.history.Ledger;
import io.ostraka.faults.history.Violation;
import io.ostraka.faults.worker.EventLog;
import io.ostraka.faults.worker.Worker;
import io.ostraka.faults.worker.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Has a plan's faults befall real workers on a real ensemble, takes all of them back, waits for as long as recovery may take,
 * then looks on for a while in which nothing interferes, and checks everything that was recorded.
 */
final class Soak {
    /** Until runs of slow code have ended once none takes time any more. */
    private static final Duration ENDING = Duration.ofSeconds(12);

    private static final Duration CALM = Duration.ofSeconds(25);
    /** Of a hundred fires in the calm so many may have an item that is late: forty processes share a machine. */
    private static final int OUT_OF_STEP_PERCENT = 10;

    /** All that comes after the trouble. */
    static final Duration AFTERWARDS = Recoveries.ON_SCHEDULE.plus(ENDING).plus(CALM);

    /** Until what is asked for in the calm's last moment is at rest. */
    private static final Duration REST = Duration.ofSeconds(2);

    /** What all workers may take to answer. */
    private static final Duration ANSWERING = Duration.ofSeconds(10);

    private static final String UNKNOWN = "unknown";
    /** What is wrong with a process, which no history shows. */
    private static final String PROCESS = "process";

    /** How many of one sort are told that no history shows; all are counted. */
    private static final int MOST = 3;

    private final FaultPlan plan;
    private final UnaryOperator<String> builds;
    private final Path directory;
    private final Consumer<String> log;
    private final List<EventLog.Line> own = new ArrayList<>();
    /** What is wrong that no history shows. */
    private final List<Violation> besides = new ArrayList<>();

    private Soak(FaultPlan plan, Path directory, Consumer<String> log, UnaryOperator<String> builds) {
        this.builds = builds;
        this.plan = plan;
        this.directory = directory;
        this.log = log;
    }

    /**
     * What was recorded.
     *
     * @param history of everything, in order
     * @param strikes the faults that befell somebody
     * @param missed those that found nobody whom they could befall
     * @param healed when nothing was cut off any more, and all servers served
     * @param mended how often a server refused to start until its epoch was noted for it
     * @param besides what is wrong that no history shows: of processes, and what the library says in their logs
     */
    record Recording(
            List<Event> history,
            List<Strike> strikes,
            List<Fault> missed,
            Instant healed,
            int mended,
            List<Violation> besides) {
        HistoryChecker.Verdict verdict() {
            HistoryChecker.Verdict verdict = HistoryChecker.judge(history, OUT_OF_STEP_PERCENT);
            List<Violation> told = new ArrayList<>(verdict.told());
            Map<String, Long> number = new TreeMap<>(verdict.number());
            Map<String, Long> others = new TreeMap<>();
            for (Violation each : besides) {
                number.merge(each.invariant(), 1L, Long::sum);
                if (others.merge(each.invariant(), 1L, Long::sum) <= MOST) {
                    told.add(each);
                }
            }
            return new HistoryChecker.Verdict(told, number);
        }
    }

    /**
     * Runs a plan.
     *
     * @param directory for everything that is written
     * @param log is told what happens, on any thread
     */
    static Recording run(FaultPlan plan, Path directory, Consumer<String> log)
            throws IOException, InterruptedException {
        return run(plan, directory, log, name -> System.getProperty("java.class.path"));
    }

    /**
     * The same, with workers of several builds.
     *
     * @param builds returns the class path of the build that a worker of a name is of
     */
    static Recording run(FaultPlan plan, Path directory, Consumer<String> log, UnaryOperator<String> builds)
            throws IOException, InterruptedException {
        return new Soak(plan, directory, log, builds).run();
    }

    /** Measures and judges what was recorded. */
    static SoakResult result(FaultPlan plan, Recording recording, Duration took) {
        Map<String, Integer> scheduled = Workload.jobs().stream()
                .filter(Workload::goesOn)
                .collect(Collectors.toMap(JobConfiguration::jobName, JobConfiguration::shardingTotalCount));
        double minutes = took.toMillis() / 60_000.0;
        Tally tally = Tally.of(recording.history);
        HistoryChecker.Verdict verdict = recording.verdict();
        var recoveries = new Recoveries(recording.history, recording.strikes, scheduled, recording.healed);
        Map<String, Long> faults = new TreeMap<>();
        recording.strikes.forEach(strike -> faults.merge(strike.fault().kind().toString(), 1L, Long::sum));
        Map<String, Long> missed = new TreeMap<>();
        recording.missed.forEach(fault -> missed.merge(fault.kind().toString(), 1L, Long::sum));
        if (recording.mended > 0) {
            faults.put("server that refused to start, mended", (long) recording.mended);
        }
        return new SoakResult(
                build(),
                Runtime.getRuntime().availableProcessors() + " processors, Java "
                        + Runtime.version().feature(),
                List.of(plan.seed()),
                minutes,
                plan.members(),
                faults,
                missed,
                tally,
                recoveries.times(),
                recoveries.slowest(),
                recoveries.bounds(),
                Enough.lacking(plan.length(), minutes, recording.strikes.size(), tally, recoveries.bounds()).stream()
                        .map(what -> "seed " + plan.seed() + ", " + what)
                        .toList(),
                verdict.number(),
                verdict.told().stream()
                        .map(violation -> new SoakResult.Breach(
                                plan.seed(), violation.invariant(), violation.what(), Telling.of(violation)))
                        .toList());
    }

    /** Returns what is soaked. */
    static String build() {
        String build = System.getenv("OSTRAKA_BUILD");
        return build == null ? UNKNOWN : build;
    }

    /** Tells whether a build says all of what it is: a commit with changes besides doesn't. */
    static boolean isKnown(String build) {
        return !build.equals(UNKNOWN) && !build.endsWith("-dirty");
    }

    private Recording run() throws IOException, InterruptedException {
        try (Site site = Site.start(directory, plan, builds)) {
            Injection.Outcome faults = Injection.run(site, plan, log);
            Instant healed = heal(site);
            log.accept("all healed at " + healed);
            afterwards(site);
            examine(site);
            site.workers().forEach(Worker::kill); // so that nothing is done any more that isn't read
            return new Recording(
                    history(site),
                    faults.strikes(),
                    faults.missed(),
                    healed,
                    site.ensemble().mended(),
                    List.copyOf(besides));
        }
    }

    /** Takes back whatever may have been left, and returns since when nothing was cut off any more, and the servers served. */
    private Instant heal(Site site) throws InterruptedException {
        site.places().forEach(Place::heal);
        site.ensemble().heal();
        site.ensemble().awaitServing();
        Instant healed = Instant.now();
        site.members(plan).forEach(Place::start);
        site.workers().forEach(worker -> worker.clock(Duration.ZERO));
        site.awaitConnected();
        for (JobConfiguration job : FaultPlan.JOBS) {
            site.order(0, worker -> worker.restore(job.jobName()));
        }
        site.order(0, worker -> worker.release(Workload.PARKED));
        return healed;
    }

    private void afterwards(Site site) throws InterruptedException {
        sleep(Recoveries.ON_SCHEDULE);
        List<Worker> workers = site.workers();
        workers.forEach(worker -> worker.hurry(true));
        sleep(ENDING);
        record(new Event.Calm(Instant.now()));
        all(workers, Worker::recordRequests);
        sleep(CALM);
        all(workers, Worker::recordRequests);
        all(workers, Worker::recordHealth);
        Set<String> living = workers.stream().map(Worker::name).collect(Collectors.toSet());
        record(new Event.Over(Instant.now(), living));
        log.accept("the calm is over");
        sleep(REST);
        Site.leave(site.places()).forEach(what -> wrong(PROCESS, what));
        record(new Event.Closed(Instant.now()));
    }

    /** Has all workers do something, and waits for them; that one doesn't stands in no history, and is found by that. */
    private static void all(List<Worker> workers, Function<Worker, CompletableFuture<Void>> order)
            throws InterruptedException {
        List<CompletableFuture<Void>> answers = workers.stream().map(order).toList();
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                    .get(ANSWERING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // the others have had time to
        }
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }

    private void record(Event event) {
        own.add(EventLog.Line.now(event));
    }

    private List<Event> history(Site site) throws IOException {
        List<Event.Transaction> committed = site.committed();
        List<EventLog.Line> lines = site.recorded();
        lines.addAll(own);
        List<Event> history = atRest(MergedHistory.of(lines, committed));
        Stream<String> told = history.stream().map(event -> event.at() + " " + event);
        Files.write(directory.resolve("history.txt"), (Iterable<String>) told::iterator);
        return history;
    }

    /**
     * Moves the end of the calm to the first moment from then on in which nothing is claimed: jobs that fire five times a
     * second are seldom all at rest, and the check of the calm's end is of what stays, not of what is under way.
     */
    static List<Event> atRest(List<Event> history) {
        List<Event> moved = new ArrayList<>(history.size());
        Ledger ledger = new Ledger();
        Event waiting = null;
        for (Event event : history) {
            if (event instanceof Event.Over) {
                waiting = event;
                continue;
            }
            if (waiting != null && (ledger.rests() || event instanceof Event.Closed)) {
                moved.add(waiting);
                waiting = null;
            }
            moved.add(event);
            if (event instanceof Event.Transaction transaction) {
                ledger.take(transaction);
            }
        }
        if (waiting != null) {
            moved.add(waiting);
        }
        return moved;
    }

    /** Looks for what only processes show: whether all live that should, and what the library says of itself. */
    private void examine(Site site) throws IOException {
        if (!site.resource().isAlive()) {
            wrong(PROCESS, "the resource has ended by itself");
        }
        for (Place place : site.places()) {
            for (Worker worker : place.everyone()) {
                if (worker.hasEndedByItself()) {
                    wrong(PROCESS, worker + " has ended by itself, see " + worker.log());
                }
                worker.complaints()
                        .forEach(line -> wrong("I8", "the library has failed of itself: " + worker + ": " + line));
            }
        }
    }

    private void wrong(String sort, String what) {
        besides.add(new Violation(sort, what, List.of()));
    }
}
