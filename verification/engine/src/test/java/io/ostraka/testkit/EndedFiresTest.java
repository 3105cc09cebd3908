package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the nodes of ended fires. They exist for an hour, for callers that ask for the outcome. The leader reads each
 * node once a minute.
 */
class EndedFiresTest {
    private static final int FIRES = 2_500;
    private static final String PARENT = "/jobs/settle/fires";

    @Tag("slow")
    @Test
    void leaderReadsEndedFiresEachMinuteAndDeletesThemAfterAnHour() {
        try (TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0)) {
            ZkCli zkCli = new ZkCli(cluster);
            SimpleJob body = context -> {};
            cluster.schedule(body, JobConfiguration.newBuilder("settle", 2).build());
            JobRun run = cluster.trigger("settle", Map.of());
            assertThat(run.completion().toCompletableFuture()).isCompleted();
            long idle = readsInTwoMinutes(cluster);

            String ended = zkCli.text(PARENT + "/" + run.runId());
            for (int fire = 0; fire < FIRES; fire++) {
                zkCli.write(PARENT + "/fire-" + fire, ended);
            }
            assertThat(readsInTwoMinutes(cluster) - idle).isBetween((long) FIRES, 2L * FIRES);
            assertThat(zkCli.children(PARENT)).hasSize(FIRES + 1);

            cluster.advance(Duration.ofMinutes(62));
            assertThat(zkCli.children(PARENT)).isEmpty();
        }
    }

    private static long readsInTwoMinutes(TestCluster cluster) {
        InMemoryNodeStore store = cluster.instances().get(0).store();
        long before = store.operations().reads();
        cluster.advance(Duration.ofMinutes(2));
        return store.operations().reads() - before;
    }
}
