package io.ostraka.core.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShutdownDeadlinesTest {
    @ParameterizedTest
    @CsvSource({"30, 25000, 30000", "10, 5000, 10000", "9, 4500, 9500", "1, 500, 5500", "0, 0, 5000"})
    void runsHaveAllButFiveSecondsAndAtLeastHalf(int seconds, long told, long closed) {
        ShutdownDeadlines grace = ShutdownDeadlines.of(Duration.ofSeconds(seconds));

        assertThat(grace.stopped()).isEqualTo(Duration.ofMillis(told));
        assertThat(grace.closed()).isEqualTo(Duration.ofMillis(closed));
    }

    @ParameterizedTest
    @ValueSource(longs = {10_000, 10_001, 30_000, 86_400_000})
    void graceOfTenSecondsCoversWholeShutdown(long millis) {
        Duration grace = Duration.ofMillis(millis);

        assertThat(ShutdownDeadlines.of(grace).closed()).isLessThanOrEqualTo(grace);
    }

    @Test
    void eachStepHasItsOwnTime() {
        for (int seconds = 0; seconds < 60; seconds++) {
            ShutdownDeadlines grace = ShutdownDeadlines.of(Duration.ofSeconds(seconds));

            assertThat(grace.returned()).isGreaterThan(grace.stopped().plusSeconds(2)); // time to kill programs
            assertThat(grace.left()).isGreaterThan(grace.returned());
            assertThat(grace.closed()).isGreaterThan(grace.left());
        }
    }
}
