package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobRun;
import io.ostraka.fixtures.ExpectedErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests that an unreadable trigger holds up the later triggers of its job, because another instance may be able to read
 * it.
 */
@ExpectedErrors("/triggers/t-by-hand can't be read")
class UnreadableTriggerTest {
    private static final String NODE = "/triggers/t-by-hand";

    private final TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final ZkCli zkCli = new ZkCli(cluster);
    private final List<String> runs = new ArrayList<>();

    UnreadableTriggerTest() {
        for (String job : List.of("job", "other")) {
            cluster.schedule(
                    context -> runs.add(context.jobName() + " " + context.runId()),
                    JobConfiguration.newBuilder(job, 2).build());
        }
    }

    private static String trigger(int format, String more) {
        return "{\"format\":" + format + ",\"job\":\"job\",\"runId\":\"run-1\",\"parameters\":{},\"total\":0" + more
                + "}";
    }

    private List<JobHealth.Reason> reasons(String job) {
        return cluster.instances().stream()
                .flatMap(instance -> instance.engine().health().jobs().values().stream())
                .filter(health -> health.job().equals(job))
                .flatMap(health -> health.reasons().stream())
                .toList();
    }

    @Test
    void newerTriggerHoldsLaterOnesOfItsJobUntilItIsGone() {
        zkCli.write(NODE, trigger(9, ",\"items\":[]"));
        cluster.advance(Duration.ofSeconds(2));
        JobRun held = cluster.trigger("job", Map.of());
        JobRun other = cluster.trigger("other", Map.of());
        cluster.advance(Duration.ofMinutes(5));

        assertThat(held.completion().toCompletableFuture()).isNotDone();
        assertThat(other.completion().toCompletableFuture()).isCompleted();
        assertThat(reasons("job")).hasSize(2).allSatisfy(reason -> {
            assertThat(reason.kind()).isEqualTo(Kind.UNREADABLE_TRIGGER);
            assertThat(reason.text()).contains(NODE, "format is 9", "upgrade the library", "wait for it");
        });
        assertThat(reasons("other")).isEmpty();

        zkCli.delete(NODE);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(held.completion().toCompletableFuture()).isCompleted();
        assertThat(reasons("job")).isEmpty();
        cluster.close();
    }

    /**
     * When the older trigger becomes readable, it runs first. This happens when an instance is upgraded, or when the
     * node is rewritten.
     */
    @Test
    void olderTriggerRunsBeforeTheHeldOneOnceItIsReadable() {
        zkCli.write(NODE, trigger(9, ",\"items\":[]"));
        cluster.advance(Duration.ofSeconds(2));
        JobRun held = cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofSeconds(10));
        assertThat(runs).isEmpty();

        zkCli.write(NODE, trigger(4, ",\"items\":[]"));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(runs)
                .containsExactlyInAnyOrder("job run-1", "job run-1", "job " + held.runId(), "job " + held.runId());
        assertThat(runs.indexOf("job run-1")).isLessThan(runs.indexOf("job " + held.runId()));
        assertThat(zkCli.children("/triggers")).isEmpty();
        cluster.close();
    }

    @Test
    void damagedTriggerHoldsLaterOnesUntilTheLeaderDeletesIt() {
        zkCli.write(NODE, trigger(4, ""));
        cluster.advance(Duration.ofSeconds(2));
        JobRun held = cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofSeconds(2));
        assertThat(runs).isEmpty();
        assertThat(reasons("job")).anySatisfy(reason -> assertThat(reason.text())
                .contains(NODE, "items is missing", "the leader deletes it within a minute"));

        cluster.advance(Duration.ofMinutes(2));
        assertThat(held.completion().toCompletableFuture()).isCompleted();
        assertThat(runs).hasSize(2);
        assertThat(zkCli.children("/triggers")).isEmpty();
        cluster.close();
    }

    @Test
    void triggerWithoutAJobHoldsNoJob() {
        zkCli.write(NODE, "{\"format\":9}");
        cluster.advance(Duration.ofSeconds(2));

        assertThat(cluster.trigger("job", Map.of()).completion().toCompletableFuture())
                .isCompleted();
        assertThat(reasons("job")).isEmpty();
        cluster.close();
    }

    @Test
    void fireOfAnUnreadableTriggerIsNotEndedByTheLeader() {
        zkCli.write(NODE, trigger(9, ",\"items\":[]"));
        String fire = "{\"format\":4,\"trigger\":\"t-by-hand\",\"left\":[\"0\"],\"outcomes\":{}}";
        zkCli.write("/jobs/job/fires/run-1", fire);

        cluster.advance(Duration.ofMinutes(30));

        assertThat(zkCli.text("/jobs/job/fires/run-1")).isEqualTo(fire);
        cluster.close();
    }
}
