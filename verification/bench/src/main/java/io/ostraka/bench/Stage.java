package io.ostraka.bench;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The environment of scenarios: the server, the start of processes, and the clock. */
final class Stage implements AutoCloseable {
    /**
     * Part of a period after which all items of earlier fires have ended. A count that is taken after it contains only
     * complete fires.
     */
    static final double QUIET = 0.9;

    private final Jvm jvm;
    private final Path directory;
    private final Server server;
    private final String elasticJob;
    private final PrintStream out;
    private @Nullable HistoryDatabase database;
    private int namespaces;

    /**
     * Starts the server.
     *
     * @param elasticJob class path of ElasticJob's processes
     */
    Stage(Jvm jvm, String elasticJob, PrintStream out) throws IOException {
        directory = Files.createTempDirectory("ostraka-bench");
        this.jvm = jvm;
        server = new Server(jvm, directory);
        this.elasticJob = elasticJob;
        this.out = out;
    }

    Server server() {
        return server;
    }

    /** Returns a namespace that no entrant has used yet. */
    String namespace() {
        return "bench-" + ++namespaces;
    }

    /** Starts the only instance of an application whose items return at once. */
    Race start(Entrant entrant, int jobs, int items, String when) throws IOException {
        return start(entrant, new UniformLoad(server.servers(), namespace(), jobs, items, when), 0);
    }

    /** Starts an instance of an application. */
    Race start(Entrant entrant, UniformLoad load, int workMillis) throws IOException {
        return start(entrant, load, workMillis, new String[0]);
    }

    /** Starts an instance of this library with the given heap size. */
    Race startWithin(String heap, UniformLoad load) throws IOException {
        return start(Entrant.OSTRAKA, load, 0, "-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError");
    }

    private Race start(Entrant entrant, UniformLoad load, int workMillis, String... options) throws IOException {
        Program program = jvm.program(ContenderProcess.class)
                .classPath(entrant.classPath(elasticJob))
                .jvm(options)
                .jvm(entrant == Entrant.HISTORY ? database().options() : new String[0])
                .arguments(entrant.contender(), workMillis)
                .arguments(load.arguments().toArray());
        return new Race(program, entrant);
    }

    private HistoryDatabase database() throws IOException {
        HistoryDatabase present = database;
        if (present == null) {
            present = new HistoryDatabase(directory);
            database = present;
        }
        return present;
    }

    /**
     * Returns, for each measurement, the time in milliseconds that the bare client needs for a transaction that is as
     * large as a claim. To make the times comparable, the client runs in a process with the same settings and warm-up
     * as those of the contenders.
     *
     * @param warmUps number of fires before each measurement, in addition to the first fire, which the bench awaits
     *     with every contender
     * @param times number of measured transactions in each measurement
     */
    List<Double> transactionMillis(int items, List<Integer> warmUps, int times, Duration apart) throws IOException {
        Program program = jvm.program(RawCurator.Program.class)
                .arguments(server.servers(), "/" + namespace(), items, times, apart.toMillis())
                .arguments(warmUps.stream().map(warmUp -> 1 + warmUp).toArray());
        try (RunningProgram process = program.start()) {
            CompletableFuture.delayedExecutor(Race.LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .execute(process::kill);
            List<Double> millis =
                    process.readAll().stream().map(Double::valueOf).toList();
            if (millis.size() < warmUps.size()) {
                throw new IllegalStateException("a raw transaction of " + items + " items failed");
            }
            return millis;
        }
    }

    /** Deletes the nodes of earlier entrants, so that they do not slow down the next entrant. */
    void clear() {
        RawCurator.deleteAll(server.servers());
    }

    void say(Entrant entrant, String text, Object... values) {
        out.printf("%-16s %s%n", entrant.text(), String.format(Locale.ROOT, text, values));
    }

    /** Returns a cron expression with this period. All jobs that use it fire at the same times. */
    static String cron(Duration period) {
        long seconds = period.toSeconds();
        return seconds < 60 ? "0/" + seconds + " * * * * ?" : "0 0/" + seconds / 60 + " * * * ?";
    }

    /** Waits until the given part of the period has passed since the latest fire. */
    static void waitUntil(double part, Duration period) throws InterruptedException {
        long millis = period.toMillis();
        long now = System.currentTimeMillis() % millis;
        Thread.sleep(Math.floorMod((long) (part * millis) - now, millis));
    }

    /** Sleeps for the given number of periods, which may be a fraction. */
    static void sleep(Duration period, double times) throws InterruptedException {
        Thread.sleep((long) (period.toMillis() * times));
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (database != null) {
            database.close();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Collections.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
