package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.history.row.AuditEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that the audit gives the pauses of a job and the freezes of its namespace. */
class SuspensionTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final List<AuditEntry> steps = new ArrayList<>();

    private static Instant at(long minutes) {
        return NOON.plusSeconds(60 * minutes);
    }

    /** Records both steps of a command. */
    private void step(long minute, String operation, String target, String detail, String outcome) {
        for (String each : new @Nullable String[] {null, outcome}) {
            steps.add(new AuditEntry(
                    at(minute), "r" + minute, "ann", "test", "ADMIN", operation, target, "ticket 7", detail, each));
        }
    }

    private void applied(long minute, String operation, String target) {
        step(minute, operation, target, "job=" + target + ", until=null", "APPLIED: done");
    }

    private List<Suspension> found() {
        List<AuditEntry> latestFirst = new ArrayList<>(steps);
        Collections.reverse(latestFirst);
        return Suspension.of("settle", latestFirst);
    }

    private static Suspension paused(long from, @Nullable Instant to) {
        return new Suspension(Suspension.State.PAUSED, "ann", "ticket 7", at(from), to);
    }

    @Test
    void pauseLastsUntilTheResume() {
        applied(0, "PAUSE", "settle");
        applied(1, "PAUSE", "invoice");
        applied(2, "RESUME", "invoice");
        step(3, "RESUME", "settle", "job=settle, catchUp=true", "REFUSED: ZooKeeper does not answer");
        applied(5, "RESUME", "settle");
        applied(7, "PAUSE", "settle");

        assertThat(found()).containsExactly(paused(0, at(5)), paused(7, null));
    }

    @Test
    void pauseEndsByItselfAndMayGetAnotherEnd() {
        step(0, "PAUSE", "settle", "job=settle, until=" + at(10), "APPLIED: done");
        step(5, "PAUSE", "settle", "job=settle, until=" + at(20), "APPLIED: done");
        step(30, "PAUSE", "settle", "job=settle, until=" + at(40), "APPLIED: done");
        applied(35, "RESUME", "settle");

        assertThat(found()).containsExactly(paused(0, at(20)), paused(30, at(35)));
    }

    @Test
    void freezeConcernsEveryJob() {
        step(0, "FREEZE", "", "until=" + at(60), "APPLIED: done");
        step(10, "THAW", "", "", "APPLIED: done");

        assertThat(found()).containsExactly(new Suspension(Suspension.State.FROZEN, "ann", "ticket 7", at(0), at(10)));
    }

    @Test
    void resumeOfAPauseThatTheAuditDoesNotShowSaysNothing() {
        applied(5, "RESUME", "settle");

        assertThat(found()).isEmpty();
    }

    @Test
    void coversOnlyFiresThatWereDueMeanwhile() {
        Suspension pause = paused(0, at(10));

        assertThat(pause.covers(at(0), at(9))).isTrue();
        assertThat(pause.covers(at(-1), at(9))).isFalse();
        assertThat(pause.covers(at(1), at(10)))
                .as("a fire at the end of the pause starts")
                .isFalse();
        assertThat(paused(0, null).covers(at(1), at(100))).isTrue();
    }
}
