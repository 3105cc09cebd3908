package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobRun;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests delayed triggers. Requests with the same key are merged, and the job runs once: when the delay has passed since
 * the first request.
 */
@ExtendWith(OstrakaExtension.class)
class DelayedTriggerTest {
    private static final Duration DELAY = Duration.ofSeconds(30);
    private static final String KEY = "customer 4711/ü";

    private final List<String> runs = new ArrayList<>();
    private int requests;

    private void schedule(TestCluster cluster) {
        cluster.schedule(
                context -> runs.add(
                        context.runId() + "=" + context.triggerParameters().get("n")),
                JobConfiguration.newBuilder("job", 1).build());
    }

    @Test
    void runsAfterItsDelayAndNotBefore(TestCluster cluster) {
        schedule(cluster);
        CompletableFuture<JobRun> run = triggerAfter(cluster, 0, KEY);
        cluster.advance(Duration.ofSeconds(28));
        assertThat(run.join().runId()).isEqualTo("run-1");
        assertThat(runs).isEmpty();

        cluster.advance(Duration.ofSeconds(3));
        assertThat(runs).containsExactly("run-1=1");
        assertThat(run.join().completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED));
        assertThat(cluster.tree().children("/delayed")).isEmpty();
    }

    @Test
    void requestsWithTheSameKeyMergeIntoTheFirst(TestCluster cluster) {
        schedule(cluster);
        List<CompletableFuture<JobRun>> merged = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            merged.add(triggerAfter(cluster, i % cluster.instances().size(), KEY));
            cluster.advance(Duration.ofSeconds(4));
        }
        CompletableFuture<JobRun> other = triggerAfter(cluster, 0, "another");
        cluster.advance(DELAY.plusSeconds(2));

        assertThat(runs).containsExactlyInAnyOrder("run-1=1", "run-7=7");
        assertThat(merged).allSatisfy(run -> {
            assertThat(run.join().runId()).isEqualTo("run-1");
            assertThat(run.join().completion().toCompletableFuture())
                    .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED));
        });
        assertThat(other.join().runId()).isEqualTo("run-7");
    }

    @Test
    void requestAfterTheDelayStartsANewRun(TestCluster cluster) {
        schedule(cluster);
        triggerAfter(cluster, 0, KEY);
        cluster.advance(DELAY.plusSeconds(2));
        CompletableFuture<JobRun> next = triggerAfter(cluster, 1, KEY);
        cluster.advance(DELAY.plusSeconds(2));

        assertThat(runs).containsExactly("run-1=1", "run-2=2");
        assertThat(next.join().runId()).isEqualTo("run-2");
    }

    @Test
    void survivesTheDeathOfRequesterAndLeader(TestCluster cluster) {
        schedule(cluster);
        triggerAfter(cluster, 0, KEY);
        cluster.advance(Duration.ofSeconds(2));
        cluster.instances().stream()
                .filter(instance -> instance.engine().leading())
                .forEach(TestCluster.Instance::kill);
        if (cluster.instances().get(0).alive()) {
            cluster.instances().get(0).kill();
        }
        cluster.join();
        cluster.advance(DELAY.plusSeconds(60));

        assertThat(runs).containsExactly("run-1=1");
    }

    @Test
    void longDelayIsNotAbandoned(TestCluster cluster) {
        schedule(cluster);
        CompletableFuture<JobRun> run = new CompletableFuture<>();
        cluster.instances()
                .get(0)
                .engine()
                .triggerAfter(request(), KEY, Duration.ofHours(2))
                .thenAccept(run::complete);
        cluster.advance(Duration.ofHours(2).plusSeconds(5));

        assertThat(run.join().completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED));
    }

    /** Loses the reply to the request, and the reply to its conversion into a trigger. The job must still run once. */
    @Test
    void lostReplyNeitherLosesNorDuplicatesTheRun(TestCluster cluster) {
        schedule(cluster);
        for (int lost = 0; lost < 2; lost++) {
            runs.clear();
            for (TestCluster.Instance instance : cluster.instances()) {
                instance.store().loseNextReply();
            }
            CompletableFuture<JobRun> run = triggerAfter(cluster, lost, KEY);
            cluster.advance(DELAY.minusSeconds(5));
            for (TestCluster.Instance instance : cluster.instances()) {
                instance.store().loseNextReply();
            }
            cluster.advance(Duration.ofMinutes(2));

            assertThat(runs).containsExactly(run.join().runId() + "=" + requests);
            assertThat(cluster.tree().children("/delayed")).isEmpty();
            assertThat(cluster.tree().children("/triggers")).isEmpty();
        }
    }

    @Test
    void invalidKeyOrDelayIsRejectedAtOnce(TestCluster cluster) {
        schedule(cluster);
        assertThatThrownBy(() -> triggerAfter(cluster, 0, "")).hasMessageContaining("trigger key has 0 characters");
        assertThatThrownBy(
                        () -> cluster.instances().get(0).engine().triggerAfter(request(), KEY, Duration.ofSeconds(-1)))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("trigger delay is 'PT-1S'");
    }

    private CompletableFuture<JobRun> triggerAfter(TestCluster cluster, int instance, String key) {
        CompletableFuture<JobRun> run = new CompletableFuture<>();
        cluster.instances()
                .get(instance)
                .engine()
                .triggerAfter(request(), key, DELAY)
                .thenAccept(run::complete);
        return run;
    }

    private Trigger.Request request() {
        requests++;
        return new Trigger.Request("job", "run-" + requests, Map.of("n", Integer.toString(requests)), Set.of());
    }
}
