package io.ostraka.faults.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.RecordedClaim;
import io.ostraka.faults.history.RecordedClaim.Decision;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryComparisonTest {
    private static final Item ITEM = new Item("job", "0");
    private static final String OWNER = "worker-1@77@1f";
    private static final String PROCESS = "worker-1@77";
    private static final Map<String, Long> ONE = Map.of("job SUCCEEDED", 1L);

    private static RecordedClaim claim(long number, Decision decision, String outcome) {
        return new RecordedClaim(
                ITEM,
                "nonce-" + number,
                "job@" + number,
                OWNER,
                number,
                false,
                Instant.EPOCH,
                Instant.EPOCH,
                decision,
                outcome,
                decision == Decision.NONE ? null : PROCESS);
    }

    private static StoredRun row(long number, String outcome) {
        return new StoredRun(ITEM, "nonce-" + number, "job@" + number, OWNER, number, outcome, false, true);
    }

    private static List<String> violations(
            List<RecordedClaim> claims, List<StoredRun> rows, Map<String, Long> rollups) {
        return HistoryComparison.of(claims, new StoredHistory(rows, rollups)).violations();
    }

    @Test
    void acceptsARowForEachClaim() {
        List<RecordedClaim> claims = List.of(claim(1, Decision.ENDED, "SUCCEEDED"), claim(2, Decision.NONE, ""));

        HistoryComparison compared = HistoryComparison.of(claims, new StoredHistory(List.of(row(1, "SUCCEEDED")), ONE));

        assertThat(compared.violations()).isEmpty();
        assertThat(compared.missing()).isEmpty();
        assertThat(compared.claims()).isEqualTo(1);
    }

    @Test
    void findsInventedRows() {
        assertThat(violations(List.of(), List.of(row(1, "SUCCEEDED")), ONE))
                .singleElement()
                .asString()
                .contains("a claim that was never made");
    }

    @Test
    void findsOtherOutcomes() {
        assertThat(violations(List.of(claim(1, Decision.ENDED, "FAILED")), List.of(row(1, "SUCCEEDED")), ONE))
                .singleElement()
                .asString()
                .contains("has another outcome");
    }

    @Test
    void acceptsTheFailureOfARunThatWasHandedOver() {
        assertThat(violations(
                        List.of(claim(1, Decision.HANDED_OVER, "INTERRUPTED")),
                        List.of(row(1, "FAILED")),
                        Map.of("job FAILED", 1L)))
                .isEmpty();
    }

    @Test
    void findsRunsThatRollUpsCountTwice() {
        assertThat(violations(
                        List.of(claim(1, Decision.ENDED, "SUCCEEDED")),
                        List.of(row(1, "SUCCEEDED")),
                        Map.of("job SUCCEEDED", 2L)))
                .singleElement()
                .asString()
                .contains("count 2 runs");
    }

    @Test
    void onlyAKillExplainsAMissingLastRow() {
        List<RecordedClaim> claims =
                List.of(claim(1, Decision.ENDED, "SUCCEEDED"), claim(2, Decision.ENDED, "SUCCEEDED"));
        HistoryComparison compared = HistoryComparison.of(claims, new StoredHistory(List.of(row(1, "SUCCEEDED")), ONE));

        assertThat(compared.missing()).containsExactly(claims.get(1));
        assertThat(compared.unexplained(claims, PROCESS::equals)).isEmpty();
        assertThat(compared.unexplained(claims, process -> false)).hasSize(1);
    }

    @Test
    void onlyTheRowOfAClaimThatAKilledProcessHadTakenOverIsLost() {
        List<RecordedClaim> claims = List.of(claim(1, Decision.TAKEN_OVER, ""), claim(2, Decision.TAKEN_OVER, ""));
        HistoryComparison none = HistoryComparison.of(claims, new StoredHistory(List.of(), Map.of()));
        List<RecordedClaim> ended = List.of(claim(1, Decision.ENDED, "SUCCEEDED"));
        HistoryComparison end = HistoryComparison.of(ended, new StoredHistory(List.of(), Map.of()));

        assertThat(none.lostWithTheTaker(claims, PROCESS::equals)).containsExactly(claims.get(1));
        assertThat(none.lostWithTheTaker(claims, process -> false)).isEmpty();
        assertThat(end.lostWithTheTaker(ended, PROCESS::equals)).isEmpty();
    }

    @Test
    void noKillExplainsAMissingEarlierRow() {
        List<RecordedClaim> claims =
                List.of(claim(1, Decision.ENDED, "SUCCEEDED"), claim(2, Decision.ENDED, "SUCCEEDED"));
        HistoryComparison compared = HistoryComparison.of(claims, new StoredHistory(List.of(row(2, "SUCCEEDED")), ONE));

        assertThat(compared.unexplained(claims, PROCESS::equals))
                .singleElement()
                .asString()
                .contains("has reported a later run");
    }
}
