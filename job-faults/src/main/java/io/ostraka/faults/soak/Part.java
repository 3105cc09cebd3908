package io.ostraka.faults.soak;

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
 * One seed that is soaked for a time.
 *
 * @param seed of its plan
 * @param minutes how long, all in all
 * @param directory for everything that it writes
 */
record Part(long seed, double minutes, Path directory) {
    /** How many of a sort are told. */
    private static final int MOST = 5;

    /** Shorter ones have no time for trouble. */
    static final double FEWEST_MINUTES = 2;

    /** Reads the options of a command that soaks. */
    static Map<String, String> options(List<String> arguments, Set<String> known) {
        Map<String, String> options = new TreeMap<>();
        for (int i = 0; i < arguments.size(); i += 2) {
            if (!known.contains(arguments.get(i)) || i + 1 == arguments.size()) {
                throw new IllegalArgumentException("not understood: " + arguments.get(i));
            }
            options.put(arguments.get(i), arguments.get(i + 1));
        }
        return options;
    }

    static double minutes(String value) {
        double minutes;
        try {
            minutes = Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--minutes '" + value + "' is no number", e);
        }
        if (!(minutes >= FEWEST_MINUTES)) {
            throw new IllegalArgumentException("--minutes " + value + " is too short; at least " + FEWEST_MINUTES);
        }
        return minutes;
    }

    static long seed(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--seed '" + value + "' is no whole number", e);
        }
    }

    /** Returns what befalls. */
    FaultPlan plan() {
        Duration trouble = Duration.ofMillis((long) (minutes * 60_000)).minus(Soak.AFTERWARDS);
        return FaultPlan.of(seed, trouble, FaultPlan.ALL);
    }

    /**
     * Soaks it.
     *
     * @param log is told what happens, on any thread
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
                    "the soak of seed " + seed + " was broken off; what there is of it is in "
                            + directory.toAbsolutePath(),
                    e);
        }
        return Soak.result(plan, recording, Duration.ofNanos(System.nanoTime() - begun));
    }

    /** Deletes everything that it wrote. */
    void delete() throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** Says what is wrong with a soak. */
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
