package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests the futures that a caller can wait for: for the first plan of a job, and for the acceptance of a trigger by
 * ZooKeeper.
 */
@ExtendWith(OstrakaExtension.class)
class RegistrationFuturesTest {
    private static final Duration WHILE = Duration.ofMinutes(2);

    private static JobConfiguration job() {
        return JobConfiguration.newBuilder("settle", 2).build();
    }

    @Test
    void jobIsScheduledOnceItHasAPlan(@Instances(0) TestCluster cluster) throws Exception {
        TestCluster.Instance instance = cluster.joinCutOff();
        CompletableFuture<Void> scheduled =
                instance.engine().register((SimpleJob) context -> {}, job()).toCompletableFuture();
        cluster.advance(WHILE);
        assertThat(scheduled).isNotDone();

        instance.store().reconnect();
        cluster.advance(WHILE);
        assertThat(scheduled).isCompleted();
        assertThat(instance.operations().explain("settle", "0")).contains(instance.id());
    }

    @Test
    void jobClosedBeforeItsPlanIsNeverScheduled(@Instances(0) TestCluster cluster) throws Exception {
        TestCluster.Instance instance = cluster.joinCutOff();
        CompletableFuture<Void> scheduled =
                instance.engine().register((SimpleJob) context -> {}, job()).toCompletableFuture();
        instance.close();
        cluster.advance(WHILE);
        assertThatThrownBy(scheduled::join)
                .hasCauseInstanceOf(CoordinationException.class)
                .hasMessageContaining("job 'settle' was closed here before it was scheduled");
    }

    @Test
    void triggerIsAcceptedOnceZooKeeperStoresIt(@Instances(1) TestCluster cluster) throws Exception {
        TestCluster.Instance instance = cluster.instances().get(0);
        instance.store().holdReplies();
        instance.engine().register((SimpleJob) context -> {}, job());
        JobRun run = instance.engine().trigger("settle", Map.of(), Set.of());
        CompletableFuture<Void> accepted = run.accepted().toCompletableFuture();
        assertThat(accepted).isNotDone();

        instance.store().releaseReplies();
        cluster.advance(WHILE);
        assertThat(accepted).isCompleted();
    }

    /** Consecutive registrations complete without any delay between them. */
    @Test
    void consecutiveRegistrationsCompleteAtOnce(@Instances(1) TestCluster cluster) {
        Instant before = cluster.now();
        for (int number = 0; number < 20; number++) {
            CompletableFuture<Void> scheduled = register(cluster, number);
            cluster.advance(Duration.ZERO);
            assertThat(scheduled).as("job %d", number).isCompleted();
        }
        assertThat(cluster.now()).isEqualTo(before);
    }

    @Test
    void manyRegistrationsNeedFewWritesOfTheInstanceNode(@Instances(1) TestCluster cluster) {
        TestCluster.Instance instance = cluster.instances().get(0);
        int before = version(cluster, instance);
        instance.store().holdReplies();
        List<CompletableFuture<Void>> scheduled = new ArrayList<>();
        for (int number = 0; number < 200; number++) {
            scheduled.add(register(cluster, number));
        }
        instance.store().releaseReplies();
        cluster.advance(Duration.ofSeconds(5));

        assertThat(scheduled).allMatch(CompletableFuture::isDone);
        assertThat(version(cluster, instance) - before).isBetween(1, 3);
    }

    private static CompletableFuture<Void> register(TestCluster cluster, int number) {
        return cluster.instances()
                .get(0)
                .engine()
                .register(
                        (SimpleJob) context -> {},
                        JobConfiguration.newBuilder("job-" + number, 1).build())
                .toCompletableFuture();
    }

    private static int version(TestCluster cluster, TestCluster.Instance instance) {
        return cluster.tree().read("/instances/" + instance.id()).orElseThrow().version();
    }
}
