package io.ostraka.faults.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that under any faults in any order, no item runs twice, no fire is lost, and the cluster recovers. {@code
 * -Dostraka.seed=n} sets the first of the new seeds, {@code -Dostraka.simulation.seconds=n} the time for which they
 * run. The name of this class puts it behind the tests of known seeds.
 */
@Tag("faults")
@Timeout(600) // the tests use the processor all the time, so they take long on a busy machine
class UntriedSeedsTest {
    /** Minimum number of schedules a second; a busy machine runs longer to reach it. */
    private static final int FLOOR_A_SECOND = 1;

    @Test
    void newSeedsBreakNoInvariant() {
        long from = Long.getLong("ostraka.seed", System.nanoTime());
        int seconds = Integer.getInteger("ostraka.simulation.seconds", 60);
        int threads = Runtime.getRuntime().availableProcessors();

        int least = 1 + seconds * FLOOR_A_SECOND;
        Seeds.Report report =
                Seeds.run(from, least, Integer.MAX_VALUE, Duration.ofSeconds(seconds), threads, CoordinationHooks.NONE);

        System.out.println("seeds from " + from + ": " + report.figure());
        assertThat(report.failures()).as(() -> told(report)).isEmpty();
        assertThat(report.schedules()).isGreaterThanOrEqualTo(least);
        assertThat(report.events() / report.schedules()).isGreaterThanOrEqualTo(Seeds.SHORT);
        assertThat(report.shortSchedules())
                .as("schedules of less than %d events", Seeds.SHORT)
                .isLessThanOrEqualTo(1 + report.schedules() / 10);
    }

    private static String told(Seeds.Report report) {
        var text = new ByteArrayOutputStream();
        SimulateCommand.tell(report, CoordinationHooks.NONE, new PrintStream(text, true, StandardCharsets.UTF_8));
        return text.toString(StandardCharsets.UTF_8);
    }
}
