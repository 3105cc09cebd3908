package io.ostraka.faults.worker;

import io.ostraka.api.Health;
import io.ostraka.api.Schedule;
import io.ostraka.faults.database.HistoryAccess;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.mutants.Mutant;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a worker process. A worker answers a command when it has executed it; a stopped worker executes the
 * command when it continues. When the process ends, the futures of all missing answers fail. Thread-safe.
 */
public final class Worker implements AutoCloseable {
    private static final String HEAP = "-Xmx160m";
    private static final String LOG = "-Dorg.slf4j.simpleLogger.";

    /** Exit code of a process that was killed. */
    private static final int KILLED = 137;

    private final WorkerSettings settings;
    private final Path events;
    private final Path log;
    private final Map<Long, CompletableFuture<String>> questions = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final RunningProgram process;
    private final CompletableFuture<EventLog.Line> end;
    /** True if this handle has ended the process on purpose. */
    private volatile boolean ending;

    private volatile boolean endedByItself;

    private Worker(WorkerSettings settings, Path directory, String classPath) throws IOException {
        this.settings = settings;
        this.events = Path.of(settings.events());
        this.log = directory.resolve(settings.name() + ".log");
        this.process = Program.java(WorkerProgram.class)
                .log(log)
                .classPath(classPath)
                .jvm(HEAP, LOG + "defaultLogLevel=warn", LOG + "showDateTime=true", LOG + "dateTimeFormat=HH:mm:ss.SSS")
                .arguments(settings.json())
                .start(this::hear);
        this.end = process.onExit().thenApply(code -> {
            endedByItself = !ending;
            return EventLog.Line.now(new Event.Killed(Instant.now(), name()));
        });
        end.thenRun(() -> questions.forEach((number, answer) -> answer.completeExceptionally(ended())));
    }

    /**
     * The options of a worker.
     *
     * @param name unique name of the worker, which instance ids and the history contain; never used again
     * @param servers connect string of ZooKeeper
     * @param namespace namespace of the application's nodes
     * @param sessionTimeout timeout of its sessions
     * @param resource resource to which its jobs write
     * @param directory directory for its files
     * @param seed determines how each run behaves; the same seed has the same effect in all workers
     * @param mutant defect to insert between the engine and ZooKeeper; null for none
     * @param classPath class path of the build that the worker runs
     * @param history database and spool of the worker's history; null for none
     */
    public record Options(
            String name,
            String servers,
            String namespace,
            Duration sessionTimeout,
            Resource resource,
            Path directory,
            long seed,
            @Nullable Mutant mutant,
            String classPath,
            @Nullable HistoryAccess history) {}

    /** Starts a worker. It connects to ZooKeeper and hosts the {@link Workload} without further commands. */
    public static Worker start(Options options) throws IOException {
        return new Worker(
                new WorkerSettings(
                        options.name,
                        options.servers,
                        options.namespace,
                        options.sessionTimeout.toMillis(),
                        options.resource.port(),
                        options.resource.requestPort(),
                        options.resource.begun(),
                        options.seed,
                        options.directory
                                .resolve(options.name + ".events.jsonl")
                                .toString(),
                        options.mutant,
                        options.history),
                options.directory,
                options.classPath);
    }

    private IllegalStateException ended() {
        return new IllegalStateException(name() + " has ended");
    }

    private void hear(String line) {
        String[] words = line.split(" ", 3);
        CompletableFuture<String> answer = questions.remove(Long.valueOf(words[0]));
        if (answer == null) {
            return; // the caller has stopped waiting
        }
        if (words[1].equals("ok")) {
            answer.complete(words[2]);
        } else {
            answer.completeExceptionally(new IllegalStateException(name() + ": " + words[2]));
        }
    }

    private CompletableFuture<String> ask(String order) {
        long number = numbers.incrementAndGet();
        CompletableFuture<String> answer = new CompletableFuture<>();
        questions.put(number, answer);
        if (!process.tell(number + " " + order) || end.isDone()) {
            questions.remove(number);
            answer.completeExceptionally(ended());
        }
        return answer;
    }

    private CompletableFuture<Void> order(String order) {
        return ask(order).thenApply(done -> null);
    }

    // ---- the process

    /** Returns the name of the worker. */
    public String name() {
        return settings.name();
    }

    /** Returns whether the process has not ended yet. A stopped process counts as alive. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns whether the process has ended although this handle did not end it. */
    public boolean hasEndedByItself() {
        return endedByItself;
    }

    /** Returns whether the process was killed. */
    public boolean hasBeenKilled() {
        return !isAlive() && process.onExit().join() == KILLED;
    }

    /** Kills the process with kill -9, even if it is stopped. Returns when it has ended. */
    public void kill() {
        ending = true;
        process.kill();
    }

    /** Stops the process with SIGSTOP. */
    public void stop() {
        process.stop();
    }

    /** Continues the process with SIGCONT, if it is stopped. */
    public void go() {
        process.go();
    }

    /** Returns whether the process is stopped. */
    public boolean isStopped() {
        return process.isStopped();
    }

    /** Shuts the process down gracefully, like SIGTERM. The future completes when the process has ended. */
    public CompletableFuture<Void> leave() {
        ending = true;
        CompletableFuture<Void> heard = order("leave");
        return process.onExit().thenApply(code -> {
            if (code != 0 || heard.isCompletedExceptionally()) {
                throw new IllegalStateException(
                        name() + " ended with " + code + " instead of shutting down in good order");
            }
            return null;
        });
    }

    /** Kills the process if it is alive. */
    @Override
    public void close() {
        kill();
    }

    // ---- its records

    /**
     * Returns the events that the worker has recorded so far, in order. If the process has ended, the last event is the
     * end of the process.
     */
    public List<EventLog.Line> history() throws IOException {
        List<EventLog.Line> lines = new ArrayList<>(EventLog.read(events));
        if (end.isDone()) {
            lines.add(end.join());
        }
        return lines;
    }

    /** Returns the lines of the worker's log in which the library reports a defect. */
    public List<String> complaints() throws IOException {
        if (!Files.exists(log)) {
            return List.of();
        }
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("this is a defect") || line.contains("lease report"))
                    .toList();
        }
    }

    /** Returns the worker's log file. */
    public Path log() {
        return log;
    }

    // ---- commands

    /** Sets how far the worker's wall clock is ahead of the true time; negative values set it behind. */
    public CompletableFuture<Void> clock(Duration ahead) {
        return order("clock " + ahead.toMillis());
    }

    /**
     * Turns the hurry mode on or off. In this mode, the code of the worker's jobs takes no time and always succeeds.
     */
    public CompletableFuture<Void> hurry(boolean on) {
        return order("hurry " + on);
    }

    /** Makes the worker record the number of its requests to ZooKeeper so far. */
    public CompletableFuture<Void> recordRequests() {
        return order("requests");
    }

    /** Makes the worker record its health. */
    public CompletableFuture<Void> recordHealth() {
        return order("wellbeing");
    }

    /** Returns the health that the worker reports. */
    public CompletableFuture<Health> health() {
        return ask("health").thenApply(json -> Json.GSON.fromJson(json, Health.class));
    }

    /** Triggers a job. The worker records the outcome of the run. */
    public CompletableFuture<String> trigger(String job, Set<String> items) {
        return ask(withItems("trigger", job, items));
    }

    /**
     * Triggers a job with a delay, unless it already has a delayed trigger. Completes when ZooKeeper has stored the
     * trigger.
     */
    public CompletableFuture<String> triggerAfter(String job, Duration delay) {
        return ask("later " + job + " " + delay.toMillis());
    }

    /**
     * Pauses the schedule of a job. The futures of this method and of all other methods that change a job complete when
     * ZooKeeper has stored the change.
     */
    public CompletableFuture<Void> pause(String job) {
        return order("pause " + job);
    }

    /** Ends a pause. */
    public CompletableFuture<Void> resume(String job) {
        return order("resume " + job);
    }

    /** Changes the item count of a job. */
    public CompletableFuture<Void> itemCount(String job, int count) {
        return order("count " + job + " " + count);
    }

    /** Changes the schedule of a job to a cron expression or a fixed rate. */
    public CompletableFuture<Void> schedule(String job, Schedule schedule) {
        if (schedule instanceof Schedule.Cron cron) {
            return order("schedule " + job + " cron " + cron.expression());
        }
        if (schedule instanceof Schedule.FixedRate rate) {
            return order("schedule " + job + " rate " + rate.period().toMillis());
        }
        throw new IllegalArgumentException("schedule is " + schedule + "; accepted: a cron or a fixed rate");
    }

    /** Releases the quarantined items of a job. */
    public CompletableFuture<Void> release(String job) {
        return order("release " + job);
    }

    /** Returns a future that completes when the worker has begun its next call of a once-listener. */
    public CompletableFuture<Void> telling() {
        return order("telling");
    }

    /** Disables these items of a job, and enables all other items. */
    public CompletableFuture<Void> disable(String job, Set<String> items) {
        return order(withItems("disable", job, items));
    }

    /** Reverts all changes of a job by removing its override. */
    public CompletableFuture<Void> restore(String job) {
        return order("restore " + job);
    }

    private static String withItems(String verb, String job, Set<String> items) {
        return verb + " " + job + (items.isEmpty() ? "" : " " + String.join(",", new TreeSet<>(items)));
    }

    @Override
    public String toString() {
        return name();
    }
}
