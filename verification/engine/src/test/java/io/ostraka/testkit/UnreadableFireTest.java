package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that an unreadable node of a fire or of a trigger is not treated as a missing node. */
class UnreadableFireTest {
    private final TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final ZkCli zkCli = new ZkCli(cluster);
    private final List<String> runs = new ArrayList<>();

    UnreadableFireTest() {
        cluster.schedule(
                context -> runs.add(context.runId()),
                JobConfiguration.newBuilder("job", 1).build());
    }

    private CompletableFuture<JobRun> triggerAfter(TestCluster.Instance instance) {
        CompletableFuture<JobRun> run = instance.engine()
                .triggerAfter(new Trigger.Request("job", "run-1", Map.of(), Set.of()), "key", Duration.ofSeconds(1))
                .toCompletableFuture();
        cluster.advance(Duration.ofSeconds(5));
        return run;
    }

    @Test
    void requestIsNotAcceptedTwiceWhenItsFireIsUnreadable() {
        triggerAfter(cluster.instances().get(0));
        assertThat(runs).containsExactly("run-1");
        TestCluster.Instance another = cluster.join();
        zkCli.write("/jobs/job/fires/run-1", "garbage");

        triggerAfter(another);
        cluster.advance(Duration.ofMinutes(3));

        assertThat(runs).containsExactly("run-1");
        cluster.close();
    }

    @Test
    void delayedTriggerOfANewerVersionIsNotReplaced() {
        zkCli.write("/delayed/job~key", "{\"format\":9}");

        assertThat(triggerAfter(cluster.instances().get(0))).isNotDone();
        assertThat(zkCli.text("/delayed/job~key")).isEqualTo("{\"format\":9}");
        assertThat(runs).isEmpty();
        cluster.close();
    }

    @Test
    void triggerOfARemovedJobEndsDespiteAnUnreadableFire() {
        cluster.amend("job", override -> override.withRemoved(true));
        cluster.advance(Duration.ofSeconds(10));
        zkCli.write("/jobs/job/fires/run-1", "garbage");
        zkCli.write(
                "/triggers/t-by-hand",
                "{\"format\":4,\"job\":\"job\",\"runId\":\"run-1\",\"parameters\":{},\"items\":[]}");

        cluster.advance(Duration.ofMinutes(3));

        assertThat(zkCli.children("/triggers")).isEmpty();
        assertThat(runs).isEmpty();
        cluster.close();
    }
}
