package io.ostraka.faults.soak;

import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The soak of one seed for a given time; a long soak consists of several parts.
 *
 * @param seed seed of the plan
 * @param minutes total time that this part takes
 * @param directory directory for all files of this part
 * @param history true if the workers write a history to a database
 */
record Part(long seed, double minutes, Path directory, boolean history) {
    /** Option that makes the workers write a history to a database. */
    static final String HISTORY = "--history";

    /** Maximum number of printed recoveries that exceed the same bound. */
    private static final int MOST = 5;

    /** Minimum length in minutes. A shorter soak has no time for faults. */
    static final double FEWEST_MINUTES = 2;

    /** Creates a soak without a database. */
    Part(long seed, double minutes, Path directory) {
        this(seed, minutes, directory, false);
    }

    /** Reads the options of a soak command. */
    static Map<String, String> options(List<String> arguments, Set<String> known) {
        Map<String, String> options = new TreeMap<>();
        for (int i = 0; i < arguments.size(); i += 2) {
            if (!known.contains(arguments.get(i)) || i + 1 == arguments.size()) {
                throw new IllegalArgumentException("unknown option, or option without a value: " + arguments.get(i));
            }
            options.put(arguments.get(i), arguments.get(i + 1));
        }
        return options;
    }

    /**
     * Returns whether the options request a history.
     *
     * @throws IllegalArgumentException if they request a history, but no database server is installed
     */
    static boolean history(Map<String, String> options) {
        String value = options.getOrDefault(HISTORY, "no");
        if (!value.equals("yes") && !value.equals("no")) {
            throw new IllegalArgumentException(HISTORY + " '" + value + "' is neither yes nor no");
        }
        if (value.equals("yes") && !PostgreSqlServer.isInstalled()) {
            throw new IllegalArgumentException(HISTORY + " yes: " + PostgreSqlServer.NOT_INSTALLED);
        }
        return value.equals("yes");
    }

    static double minutes(String value) {
        double minutes;
        try {
            minutes = Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--minutes '" + value + "' is not a number", e);
        }
        if (!(minutes >= FEWEST_MINUTES)) {
            throw new IllegalArgumentException(
                    "--minutes " + value + " is too short; the minimum is " + FEWEST_MINUTES);
        }
        return minutes;
    }

    static long seed(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--seed '" + value + "' is not a whole number", e);
        }
    }

    /** Returns the plan of faults. */
    FaultPlan plan() {
        Duration trouble = Duration.ofMillis((long) (minutes * 60_000)).minus(Soak.AFTERWARDS);
        FaultPlan plan = FaultPlan.of(seed, trouble, FaultPlan.ALL);
        return history ? DatabaseFaults.addTo(plan) : plan;
    }

    /**
     * Runs the soak.
     *
     * @param log receives progress lines, on any thread
     */
    SoakResult run(Consumer<String> log) throws IOException, InterruptedException {
        delete();
        Files.createDirectories(directory);
        long begun = System.nanoTime();
        FaultPlan plan = plan();
        Soak.Recording recording;
        try {
            recording = Soak.run(plan, directory, log);
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException(
                    "the soak of seed " + seed + " was aborted; its files are in " + directory.toAbsolutePath(), e);
        }
        return Soak.result(plan, recording, Duration.ofNanos(System.nanoTime() - begun));
    }

    /** Deletes all files of the soak. */
    void delete() throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** Prints the violations of a soak, and the recoveries that were too slow. */
    static void tell(SoakResult result, PrintStream out) {
        for (SoakResult.Breach breach : result.breaches()) {
            out.println("seed " + breach.seed() + ": " + breach.invariant() + ": " + breach.what());
            breach.trail().forEach(line -> out.println("    " + line));
        }
        for (Bound bound : result.bounds()) {
            List<String> broken = bound.broken();
            broken.stream()
                    .limit(MOST)
                    .forEach(
                            line -> out.println("beyond " + bound.limitMillis() + " ms " + bound.name() + ": " + line));
            if (broken.size() > MOST) {
                out.println("    and " + (broken.size() - MOST) + " more");
            }
        }
    }
}
