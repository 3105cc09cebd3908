package io.ostraka.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.RecordedClaim.Decision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordedClaimsTest {
    private static final long SESSION = 0x1f;
    private static final String OWNER = "worker-1@77@1f";
    private static final String RECORD = "/jobs/settle/sharding/0";

    private final List<Event> history = new ArrayList<>();

    private void write(Write write) {
        history.add(new Event.Transaction(history.size() + 1, Instant.EPOCH, SESSION, false, List.of(write)));
    }

    private static String record(String state, String rest) {
        return "{\"format\":4,\"state\":\"" + state
                + "\",\"cursor\":\"2026-01-01T00:00:00Z\",\"triggerCursor\":0,\"incarnation\":1,\"skipped\":[]" + rest
                + "}";
    }

    private static String run() {
        return ",\"run\":{\"fire\":{\"id\":\"1\",\"at\":\"2026-01-01T00:00:10Z\",\"triggerZxid\":0,\"parameters\":{}},"
                + "\"total\":1,\"attempt\":1,\"crashes\":0,\"owner\":\"" + OWNER + "\",\"nonce\":\"" + OWNER
                + "/settle/1\",\"startedAt\":\"2026-01-01T00:00:10Z\",\"number\":1,\"token\":1,"
                + "\"cursor\":\"2026-01-01T00:00:00Z\",\"incarnation\":1}";
    }

    private void claim() {
        write(new Write.Created("/instances/" + OWNER, "{}", true));
        write(new Write.Created(RECORD, record("IDLE", ""), false));
        write(new Write.Changed(RECORD, record("RUNNING", run())));
    }

    private static String ended(String outcome) {
        return record("IDLE", run() + ",\"endedAt\":\"2026-01-01T00:00:11Z\",\"outcome\":\"" + outcome + "\"");
    }

    private List<Decision> decisions() {
        return RecordedClaims.of(history).stream().map(RecordedClaim::decision).toList();
    }

    @Test
    void ownerEndsItsClaim() {
        claim();
        write(new Write.Changed(RECORD, ended("SUCCEEDED")));

        assertThat(decisions()).containsExactly(Decision.ENDED);
    }

    @Test
    void ownerHandsItsClaimOver() {
        claim();
        write(new Write.Changed(RECORD, record("HANDED_OVER", run())));

        assertThat(decisions()).containsExactly(Decision.HANDED_OVER);
    }

    /** A stopped fire, for example, does not run again. The row of its claim then says that the claim was lost. */
    @Test
    void claimThatWasHandedOverIsLostIfItsFireDoesNotRunAgain() {
        claim();
        write(new Write.Changed(RECORD, record("HANDED_OVER", run())));
        write(new Write.Changed(RECORD, ended("INTERRUPTED")));

        assertThat(decisions()).containsExactly(Decision.LOST);
    }
}
