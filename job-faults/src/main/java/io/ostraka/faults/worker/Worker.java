package io.ostraka.faults.worker;

import io.ostraka.api.Health;
import io.ostraka.api.Schedule;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.mutants.Mutant;
import io.ostraka.faults.process.JavaProcess;
import io.ostraka.faults.process.Program;
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
 * A worker process, as whoever started it holds it. What it is asked for is answered whenever it gets to it: one that is
 * stopped does when it goes on; it fails once the process has ended. Thread-safe.
 */
public final class Worker implements AutoCloseable {
    private static final String HEAP = "-Xmx160m";
    private static final String LOG = "-Dorg.slf4j.simpleLogger.";

    private final WorkerSettings settings;
    private final Path events;
    private final Path log;
    private final Map<Long, CompletableFuture<String>> questions = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final JavaProcess process;
    private final CompletableFuture<EventLog.Line> end;
    /** Whether its end is meant. */
    private volatile boolean ending;

    private volatile boolean endedByItself;

    private Worker(WorkerSettings settings, Path directory, String classPath) throws IOException {
        this.settings = settings;
        this.events = Path.of(settings.events());
        this.log = directory.resolve(settings.name() + ".log");
        this.process = Program.of(WorkerProgram.class, log)
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
     * How a worker is to be.
     *
     * @param name its own, which no other process ever has: it stands in its instances' ids and in its history
     * @param servers ZooKeeper's, as a connect string
     * @param namespace where the application's nodes are
     * @param sessionTimeout of its sessions
     * @param resource what its jobs write to
     * @param directory for its files
     * @param seed decides, for all workers alike, how each run goes
     * @param mutant the defect between its engine and ZooKeeper; null for none
     * @param classPath of the build that it is of
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
            String classPath) {}

    /** Starts one; it connects and hosts the {@link Workload} by itself. */
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
                        options.mutant),
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
            return; // it was given up
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

    /** Returns its name. */
    public String name() {
        return settings.name();
    }

    /** Tells whether it has not ended yet; one that is stopped lives. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Tells whether it has ended though nobody meant it to. */
    public boolean hasEndedByItself() {
        return endedByItself;
    }

    /** Kills it, as kill -9 does, also while it is stopped. Returns when it is gone. */
    public void kill() {
        ending = true;
        process.kill();
    }

    /** Stops it where it stands, as SIGSTOP does. */
    public void stop() {
        process.stop();
    }

    /** Lets it go on after a stop, as SIGCONT does. */
    public void go() {
        process.go();
    }

    /** Tells whether it is stopped. */
    public boolean isStopped() {
        return process.isStopped();
    }

    /** Has it leave in good order, as a signal to end does; completes when it is gone. */
    public CompletableFuture<Void> leave() {
        ending = true;
        CompletableFuture<Void> heard = order("leave");
        return process.onExit().thenApply(code -> {
            if (code != 0 || heard.isCompletedExceptionally()) {
                throw new IllegalStateException(name() + " ended with " + code + " when it was to leave");
            }
            return null;
        });
    }

    /** Kills it if it lives. */
    @Override
    public void close() {
        kill();
    }

    // ---- what it has recorded

    /** Returns what it has recorded so far, in its order, and its end as the last, if it has ended. */
    public List<EventLog.Line> history() throws IOException {
        List<EventLog.Line> lines = new ArrayList<>(EventLog.read(events));
        if (end.isDone()) {
            lines.add(end.join());
        }
        return lines;
    }

    /** Returns what its log says that should never be said: that the library has failed of itself. */
    public List<String> complaints() throws IOException {
        if (!Files.exists(log)) {
            return List.of();
        }
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("this is a defect") || line.contains("lease report"))
                    .toList();
        }
    }

    /** Returns the file of its log, for people. */
    public Path log() {
        return log;
    }

    // ---- what it is asked for

    /** Sets its wall clock so far ahead of the true time, or behind. */
    public CompletableFuture<Void> clock(Duration ahead) {
        return order("clock " + ahead.toMillis());
    }

    /** Has the code of its jobs take no time and always succeed from now on, or again be as it is. */
    public CompletableFuture<Void> hurry(boolean on) {
        return order("hurry " + on);
    }

    /** Has it record how much it has asked of ZooKeeper so far. */
    public CompletableFuture<Void> recordRequests() {
        return order("requests");
    }

    /** Has it record how it says it is. */
    public CompletableFuture<Void> recordHealth() {
        return order("wellbeing");
    }

    /** Returns how it says it is. */
    public CompletableFuture<Health> health() {
        return ask("health").thenApply(json -> Json.GSON.fromJson(json, Health.class));
    }

    /** Has a job run once, besides its schedule; it records how that ends. */
    public CompletableFuture<String> trigger(String job, Set<String> items) {
        return ask(withItems("trigger", job, items));
    }

    /** Has a job run once, so much later, unless it is to already; completes when ZooKeeper has it. */
    public CompletableFuture<String> triggerAfter(String job, Duration delay) {
        return ask("later " + job + " " + delay.toMillis());
    }

    /** Has nothing of a job start by its schedule. This and all that follows completes when ZooKeeper has it. */
    public CompletableFuture<Void> pause(String job) {
        return order("pause " + job);
    }

    /** Ends a pause. */
    public CompletableFuture<Void> resume(String job) {
        return order("resume " + job);
    }

    /** Changes a job's item count. */
    public CompletableFuture<Void> itemCount(String job, int count) {
        return order("count " + job + " " + count);
    }

    /** Changes a job's schedule, to a cron expression or a fixed rate. */
    public CompletableFuture<Void> schedule(String job, Schedule schedule) {
        if (schedule instanceof Schedule.Cron cron) {
            return order("schedule " + job + " cron " + cron.expression());
        }
        if (schedule instanceof Schedule.FixedRate rate) {
            return order("schedule " + job + " rate " + rate.period().toMillis());
        }
        throw new IllegalArgumentException("schedule is " + schedule + "; accepted: a cron or a fixed rate");
    }

    /** Lets those items of a job start again that were parked. */
    public CompletableFuture<Void> release(String job) {
        return order("release " + job);
    }

    /** Completes when it is next inside of a call of its once-listener. */
    public CompletableFuture<Void> telling() {
        return order("telling");
    }

    /** Has these items of a job disabled, and no others. */
    public CompletableFuture<Void> disable(String job, Set<String> items) {
        return order(withItems("disable", job, items));
    }

    /** Takes back what was changed of a job. */
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
