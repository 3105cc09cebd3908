package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.JobOverride;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that probes report the state of the process to the platform, and ignore the state of its jobs. */
@ExtendWith(OstrakaExtension.class)
class ProbesTest {
    private static void schedule(TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("probed", 2)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
                        .build());
        cluster.advance(Duration.ofSeconds(20));
    }

    private static Health health(TestCluster cluster) {
        return cluster.instances().get(0).engine().health();
    }

    @Test
    void operatorOverridesLeaveTheInstanceLiveAndReady(@Instances(1) TestCluster cluster) {
        schedule(cluster);
        String id = cluster.instances().get(0).id();
        assertServes(cluster, override -> override.withPaused(true), false);
        assertServes(cluster, override -> override.withDisabledItems(Set.of("1")), false);
        // no other instance can take the items, so health asks for attention
        assertServes(cluster, override -> override.withDisabledInstances(Set.of(id)), true);
    }

    private static void assertServes(TestCluster cluster, UnaryOperator<JobOverride> change, boolean needsAttention) {
        cluster.amend("probed", change);
        cluster.advance(Duration.ofSeconds(20));
        assertThat(health(cluster).good()).isFalse();
        assertThat(health(cluster).live()).isTrue();
        assertThat(health(cluster).ready()).isTrue();
        assertThat(health(cluster).needsAttention()).isEqualTo(needsAttention);
        cluster.amend("probed", override -> JobOverride.NONE);
        cluster.advance(Duration.ofSeconds(20));
        assertThat(health(cluster).good()).isTrue();
    }

    @Test
    void outageOfZooKeeperLeavesTheInstanceLiveAndReady(@Instances(1) TestCluster cluster) {
        schedule(cluster);
        cluster.instances().get(0).store().suspend();
        cluster.advance(Duration.ofMinutes(30));

        assertThat(health(cluster).connected()).isFalse();
        assertThat(health(cluster).live()).isTrue();
        assertThat(health(cluster).ready()).isTrue();
    }

    @Test
    void instanceIsReadyFromItsFirstRegistrationToItsDrain(@Instances(0) TestCluster cluster) {
        TestCluster.Instance instance = cluster.joinCutOff();
        cluster.advance(Duration.ofMinutes(10));
        assertThat(health(cluster).live()).isTrue();
        assertThat(health(cluster).ready()).isFalse();

        instance.store().reconnect();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(health(cluster).ready()).isTrue();

        instance.engine().drain(true);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(health(cluster).ready()).isFalse();
        assertThat(health(cluster).live()).isTrue();

        instance.close();
        cluster.advance(Duration.ofHours(1));
        assertThat(health(cluster).ready()).isFalse();
        assertThat(health(cluster).live()).as("live after a requested shutdown").isTrue();
    }

    @Test
    void instanceWithAStalledEngineIsNotLive(@Instances(1) TestCluster cluster) {
        schedule(cluster);
        cluster.instances().get(0).kill(); // closes the timer, so the engine makes no progress
        cluster.advance(Duration.ofMinutes(1));
        assertThat(health(cluster).live()).isTrue();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(health(cluster).live()).isFalse();
    }
}
