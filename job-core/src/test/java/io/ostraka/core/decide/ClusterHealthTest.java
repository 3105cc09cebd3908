package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.operations.ReportedReason;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.PublishedDigest;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the health of the cluster, which is merged from the digests of its instances. */
class ClusterHealthTest {
    private static final Instant TEN = Instant.parse("2026-01-01T10:00:00Z");
    private static final String A = "a@1@1";
    private static final String B = "b@1@2";

    private static PublishedDigest digest(
            String instance, @Nullable String problem, Map<String, List<Reason>> jobs, int truncated) {
        HealthDigest digest =
                new HealthDigest(instance, InstanceState.WORKING, false, TEN, problem, jobs, Map.of(), null, truncated);
        return new PublishedDigest(instance, new Versioned<>(digest, 0, 1, 1, TEN, new JsonObject()), null);
    }

    private static PublishedDigest digest(String instance, Reason... reasons) {
        return digest(instance, null, Map.of("job", List.of(reasons)), 0);
    }

    private static Reason reason(Kind kind, String text, int second) {
        return new Reason(kind, text, TEN.plusSeconds(second));
    }

    @Test
    void sameReasonOfTwoInstancesIsOneEntrySinceTheEarlierTime() {
        ClusterHealth health = ClusterHealth.of(
                List.of(
                        digest(B, reason(Kind.PAUSED, "paused by an operator", 1)),
                        digest(A, reason(Kind.PAUSED, "paused by an operator", 2))),
                Set.of(A, B));

        assertThat(health.jobs())
                .isEqualTo(Map.of(
                        "job",
                        List.of(new ReportedReason(reason(Kind.PAUSED, "paused by an operator", 1), Set.of(A, B)))));
        assertThat(health.problems()).isEmpty();
        assertThat(health.incomplete()).isEmpty();
    }

    @Test
    void differentReasonsAreSortedBySeverityAndKeepTheirInstances() {
        Reason quarantined = reason(Kind.QUARANTINED_ITEMS, "items 1", 0);
        Reason others = reason(Kind.QUARANTINED_ITEMS, "items 2", 1);
        Reason removed = reason(Kind.REMOVED, "removed by an operator", 9);
        Reason waiting = reason(Kind.WAITING_ITEMS, "items 3", 0);
        ClusterHealth health =
                ClusterHealth.of(List.of(digest(A, waiting, others), digest(B, quarantined, removed)), Set.of(A, B));

        assertThat(health.jobs().get("job"))
                .containsExactly(
                        new ReportedReason(removed, Set.of(B)),
                        new ReportedReason(quarantined, Set.of(B)),
                        new ReportedReason(others, Set.of(A)),
                        new ReportedReason(waiting, Set.of(A)));
    }

    @Test
    void digestOfAnEndedSessionIsIgnored() {
        ClusterHealth health = ClusterHealth.of(
                List.of(digest(A, "no rights", Map.of("job", List.of(reason(Kind.PAUSED, "paused", 0))), 3), digest(B)),
                Set.of(B));

        assertThat(health).isEqualTo(new ClusterHealth(Map.of(), Map.of(), Map.of()));
    }

    @Test
    void problemOfAnInstanceIsReported() {
        assertThat(ClusterHealth.of(List.of(digest(A, "no rights", Map.of(), 0)), Set.of(A))
                        .problems())
                .containsExactly(Map.entry(A, "no rights"));
    }

    /** If a digest is missing, the absence of a reason proves nothing. */
    @Test
    void missingUnreadableAndTruncatedDigestsMakeTheHealthIncomplete() {
        String old = "old@1@3";
        ClusterHealth health = ClusterHealth.of(
                List.of(
                        new PublishedDigest(A, null, new UnreadableNode("/health/a@1@1 is damaged", 3, true)),
                        digest(B, null, Map.of(), 17)),
                Set.of(A, B, old));

        assertThat(health.incomplete()).containsOnlyKeys(A, B, old);
        assertThat(health.incomplete().get(A)).isEqualTo("/health/a@1@1 is damaged");
        assertThat(health.incomplete().get(B)).contains("leaves out 17 jobs");
        assertThat(health.incomplete().get(old)).contains("no health", "just joined");
    }
}
