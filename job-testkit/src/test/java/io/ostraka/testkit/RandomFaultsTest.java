package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whatever befalls instances, in whatever order: nothing is run twice, nothing is lost, and afterwards all is as it was.
 * {@code -Dostraka.seed=n} runs one seed, {@code -Dostraka.seeds=n} runs the first so many.
 */
class RandomFaultsTest {
    /** A seed takes milliseconds, unless something goes round and round. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @Test
    void whateverHappensNothingRunsTwiceNothingIsLostAndTheClusterRecoversByItself() {
        Long one = Long.getLong("ostraka.seed");
        LongStream seeds = one == null ? LongStream.range(0, Long.getLong("ostraka.seeds", 250)) : LongStream.of(one);
        seeds.forEach(RandomFaultsTest::run);
    }

    private static void run(long seed) {
        PrintStream before = System.err;
        var said = new ByteArrayOutputStream();
        var quiet = new PrintStream(said, true, StandardCharsets.UTF_8);
        System.setErr(quiet); // warnings about faults are what the engine owes an operator, and no news here
        try {
            assertTimeoutPreemptively(LIMIT, () -> new RandomFaults(seed).run());
        } catch (Throwable e) {
            before.print(said.toString(StandardCharsets.UTF_8));
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        } finally {
            System.setErr(before);
        }
    }
}
