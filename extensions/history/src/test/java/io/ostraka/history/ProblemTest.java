package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProblemTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    private final Problem problem = new Problem(Path.of("/spool"));

    private @Nullable String at(Duration after, long lost, @Nullable Instant delayedSince) {
        return problem.of(
                new HistoryStatistics(0, 0, lost, 0, delayedSince), "connection refused", null, NOW.plus(after));
    }

    @Test
    void aDatabaseThatIsAwayForLessThanAMinuteIsNoProblem() {
        assertThat(at(Duration.ofSeconds(59), 0, NOW)).isNull();
        assertThat(at(Duration.ofSeconds(60), 0, NOW))
                .contains("/spool")
                .contains(NOW.toString())
                .contains("connection refused");
        assertThat(at(Duration.ofSeconds(61), 0, null)).isNull();
    }

    @Test
    void rejectedRowsAreAProblemForAnHour() {
        var figures = new HistoryStatistics(0, 0, 0, 2, null);
        assertThat(problem.of(figures, "", null, NOW))
                .contains("2 rows were refused")
                .contains("rejected.txt");
        assertThat(problem.loss()).as("a new loss").isTrue();
        assertThat(problem.of(figures, "", null, NOW.plus(Duration.ofHours(1)))).isNull();
        assertThat(problem.loss()).as("a new loss").isFalse();
    }

    @Test
    void lostRowsAreAProblemForAnHourAfterTheLastOne() {
        assertThat(at(Duration.ZERO, 3, null)).contains("3 rows are lost");
        assertThat(problem.loss()).as("a new loss").isTrue();
        assertThat(at(Duration.ofMinutes(59), 5, null)).contains("5 rows are lost");
        assertThat(problem.loss()).as("a new loss").isTrue();
        assertThat(at(Duration.ofMinutes(118), 5, null)).contains("5 rows are lost");
        assertThat(at(Duration.ofMinutes(119), 5, null)).isNull();
    }

    @Test
    void lostRowsDoNotHideWhyFurtherOnesWait() {
        assertThat(at(Duration.ofMinutes(2), 3, NOW))
                .startsWith("history: 3 rows are lost")
                .contains("; rows wait in /spool since " + NOW)
                .endsWith("connection refused");
    }
}
