package io.ostraka.examples.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AuditTest {
    private static final Instant START = Instant.parse("2027-01-31T22:00:00Z");

    private static Run run(int fire, int attempt, @Nullable String outcome) {
        return new Run("settle", 0, START.plusSeconds(fire), attempt, fire * 10L + attempt, 1, outcome);
    }

    private static Audit audit(Run... runs) {
        return audit(1, START, runs);
    }

    private static Audit audit(int items, Instant end, Run... runs) {
        return Audit.of(List.of(runs), Map.of("settle", new Audit.Expected(Duration.ofSeconds(1), items)), end);
    }

    private static Run completed(int fire) {
        return run(fire, 1, Run.COMPLETED);
    }

    @Test
    void acceptsFiresThatFollowEachOther() {
        Audit audit = audit(completed(0), completed(1), completed(2));

        assertThat(audit.violations()).isEmpty();
        assertThat(audit.fires()).isEqualTo(3);
    }

    @Test
    void findsEachFireOfAGap() {
        assertThat(audit(completed(0), completed(3)).violations())
                .containsExactly(
                        "LOST settle[0] fire 2027-01-31T22:00:01Z", "LOST settle[0] fire 2027-01-31T22:00:02Z");
    }

    @Test
    void findsAnItemThatStops() {
        Instant end = START.plusSeconds(3);

        assertThat(audit(1, end, completed(0), completed(1), completed(2)).violations())
                .isEmpty();
        assertThat(audit(1, end, completed(0)).violations())
                .containsExactly(
                        "LOST settle[0] fire 2027-01-31T22:00:01Z", "LOST settle[0] fire 2027-01-31T22:00:02Z");
    }

    @Test
    void findsAnItemThatNeverRuns() {
        assertThat(audit(2, START, completed(0)).violations()).containsExactly("LOST settle[1] has no fire");
    }

    @Test
    void findsAFireThatCompletedTwice() {
        assertThat(audit(completed(0), completed(0), completed(1)).violations())
                .containsExactly("DOUBLED settle[0] fire 2027-01-31T22:00:00Z");
    }

    @Test
    void findsARunWithoutAnEndAndItsRepetition() {
        assertThat(audit(run(0, 1, null), run(0, 2, Run.COMPLETED)).violations(Audit.Kind.HANDED_OVER))
                .hasSize(2);
    }

    @Test
    void findsARunThatFailed() {
        assertThat(audit(run(0, 1, "cancelled")).violations(Audit.Kind.FAILED)).hasSize(1);
    }
}
