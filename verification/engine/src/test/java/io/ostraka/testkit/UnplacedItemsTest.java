package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests items that wait because constraints exclude every instance. Every instance reports these items; other items and
 * jobs run.
 */
@ExtendWith(OstrakaExtension.class)
class UnplacedItemsTest {
    private final Set<Integer> ran = new TreeSet<>();

    private static JobConfiguration.Builder everySecond(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(1)));
    }

    private static JobHealth health(TestCluster cluster, int instance, String job) {
        return cluster.instances().get(instance).engine().health().jobs().get(job);
    }

    @Test
    void itemsBeyondMaxItemsPerInstanceWaitForAnotherInstance(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> ran.add(context.shardingItem()),
                everySecond("full", 3).maxItemsPerInstance(1).build());
        cluster.advance(Duration.ofSeconds(5));

        assertThat(ran).containsExactly(0, 1);
        for (int instance = 0; instance < 2; instance++) {
            JobHealth health = health(cluster, instance, "full");
            assertThat(health.status()).isEqualTo(Status.LIMITED);
            assertThat(health.reason(Kind.UNPLACED_ITEMS).orElseThrow().text())
                    .isEqualTo("on no instance: item 2: every eligible instance has reached maxItemsPerInstance, 1");
        }

        cluster.join();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(ran).containsExactly(0, 1, 2);
        assertThat(health(cluster, 0, "full").status()).isEqualTo(Status.RUNNING);
    }

    /** Items may wait for an instance for weeks, so the wait must not cost reads. */
    @Test
    void waitingItemsCostNoReads(@Instances(1) TestCluster cluster) {
        schedule(cluster, "waiting", 1);
        long waiting = reads(cluster);
        cluster.instances().get(0).engine().unregister("waiting");
        cluster.advance(Duration.ofMinutes(1));
        schedule(cluster, "placed", 3);

        assertThat(waiting).isLessThanOrEqualTo(reads(cluster));
    }

    private void schedule(TestCluster cluster, String name, int maximum) {
        cluster.schedule(
                context -> ran.add(context.shardingItem()),
                JobConfiguration.newBuilder(name, 3)
                        .schedule(Schedule.onDemand())
                        .maxItemsPerInstance(maximum)
                        .build());
        cluster.advance(Duration.ofMinutes(1));
    }

    private static long reads(TestCluster cluster) {
        InMemoryNodeStore store = cluster.instances().get(0).store();
        long before = store.operations().reads();
        cluster.advance(Duration.ofMinutes(4));
        return store.operations().reads() - before;
    }

    @Test
    void onlyTheJobWithoutEligibleInstancesWaits(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> ran.add(-1),
                everySecond("picky", 2).requiredInstances("gpu").build());
        cluster.schedule(
                context -> ran.add(context.shardingItem()),
                everySecond("modest", 2).build());
        cluster.trigger("picky", Map.of());
        cluster.advance(Duration.ofSeconds(10));

        assertThat(ran).containsExactly(0, 1);
        assertThat(health(cluster, 0, "modest").status()).isEqualTo(Status.RUNNING);
        assertThat(health(cluster, 0, "picky")
                        .reason(Kind.UNPLACED_ITEMS)
                        .orElseThrow()
                        .text())
                .contains("items 0, 1: no instance that hosts the job matches requiredInstances, 'gpu'");
    }
}
