package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a caller can wait for: a job that has a plan, a trigger that ZooKeeper has accepted. */
@ExtendWith(OstrakaExtension.class)
class ScheduledTest {
    private static final Duration WHILE = Duration.ofMinutes(2);

    private static JobConfiguration job() {
        return JobConfiguration.newBuilder("settle", 2).build();
    }

    @Test
    void aJobIsScheduledOnceItHasAPlan(@Instances(0) TestCluster cluster) throws Exception {
        TestCluster.Instance instance = cluster.joinCutOff();
        CompletableFuture<Void> scheduled =
                instance.engine().register((SimpleJob) context -> {}, job()).toCompletableFuture();
        cluster.advance(WHILE);
        assertThat(scheduled).isNotDone();

        instance.store().reconnect();
        cluster.advance(WHILE);
        assertThat(scheduled).isCompleted();
        CompletableFuture<String> why = instance.engine().explain("settle", "0").toCompletableFuture();
        cluster.advance(WHILE);
        assertThat(why.join()).contains(instance.id());
    }

    @Test
    void aJobThatIsClosedFirstIsNeverScheduled(@Instances(0) TestCluster cluster) throws Exception {
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
    void aTriggerIsAcceptedWhenZooKeeperHasIt(@Instances(1) TestCluster cluster) throws Exception {
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
}
