package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests placements that depend on the items of other jobs, under every leader. */
@ExtendWith(OstrakaExtension.class)
class PlacementAcrossJobsTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    /** Instances that have run each job since the last clear. */
    private final Map<String, Set<String>> ran = new HashMap<>();

    private void schedule(TestCluster cluster, JobConfiguration.Builder job) {
        JobConfiguration configuration =
                job.schedule(Schedule.fixedRate(PERIOD)).build();
        cluster.schedule(
                context -> ran.computeIfAbsent(context.jobName(), name -> new HashSet<>())
                        .add(context.instanceId()),
                configuration);
    }

    private Map<String, Set<String>> runs(TestCluster cluster) {
        ran.clear();
        cluster.advance(PERIOD.multipliedBy(2));
        Map<String, Set<String>> runs = new HashMap<>();
        ran.forEach((job, owners) -> runs.put(job, Set.copyOf(owners)));
        return runs;
    }

    private static List<Long> jobsByInstance(Map<String, Set<String>> runs, TestCluster cluster) {
        return cluster.instances().stream()
                .filter(TestCluster.Instance::alive)
                .map(instance -> runs.values().stream()
                        .filter(owners -> owners.equals(Set.of(instance.id())))
                        .count())
                .toList();
    }

    @Test
    void jobsOfOneItemAreSpreadOverTheInstances(@Instances(3) TestCluster cluster) {
        for (int job = 0; job < 30; job++) {
            schedule(cluster, JobConfiguration.newBuilder("job-" + job, 1).shardingStrategy("SPREAD"));
        }
        Map<String, Set<String>> before = runs(cluster);
        assertThat(jobsByInstance(before, cluster)).containsExactly(10L, 10L, 10L);

        cluster.leader().store().suspend();
        cluster.leader().store().reconnect();
        assertThat(runs(cluster))
                .as("placement by a leader after its reconnection")
                .isEqualTo(before);

        cluster.leader().kill();
        cluster.advance(TestCluster.SESSION_TIMEOUT.plus(PERIOD));
        assertThat(jobsByInstance(runs(cluster), cluster)).containsExactly(15L, 15L);
        cluster.join();
        cluster.advance(PERIOD);
        assertThat(jobsByInstance(runs(cluster), cluster)).containsExactly(10L, 10L, 10L);
    }

    @Test
    void spreadCountsTheItemsOfAllJobs(@Instances(2) TestCluster cluster) {
        schedule(cluster, JobConfiguration.newBuilder("first", 5).requiredInstances("host=host-0"));
        for (int job = 0; job < 3; job++) {
            schedule(cluster, JobConfiguration.newBuilder("job-" + job, 1).shardingStrategy("SPREAD"));
        }

        Map<String, Set<String>> runs = runs(cluster);
        assertThat(jobsByInstance(runs, cluster))
                .as("the first job on one instance, all others on the other")
                .containsExactly(1L, 3L);
    }

    @Test
    void newLeaderKeepsJobsApart(@Instances(3) TestCluster cluster) {
        schedule(cluster, JobConfiguration.newBuilder("yields", 3).antiAffinity("stays"));
        assertThat(runs(cluster).get("yields")).hasSize(3);

        schedule(cluster, JobConfiguration.newBuilder("stays", 1));
        assertApart(cluster);
        cluster.leader().kill();
        cluster.advance(TestCluster.SESSION_TIMEOUT);
        assertApart(cluster);
        cluster.join();
        assertApart(cluster);
    }

    @Test
    void chainOfAntiAffinitiesSettlesInAnyOrder(@Instances(4) TestCluster cluster) {
        schedule(cluster, JobConfiguration.newBuilder("c", 1).antiAffinity("b"));
        schedule(cluster, JobConfiguration.newBuilder("a", 1).antiAffinity("c"));
        // closes the cycle of anti-affinities; job a then yields to no job
        schedule(cluster, JobConfiguration.newBuilder("b", 1).antiAffinity("a"));
        cluster.advance(PERIOD);

        Map<String, Set<String>> runs = runs(cluster);
        assertThat(runs.get("b")).doesNotContainAnyElementsOf(runs.get("a"));
        assertThat(runs.get("c")).doesNotContainAnyElementsOf(runs.get("b"));
    }

    private void assertApart(TestCluster cluster) {
        cluster.advance(PERIOD);
        Map<String, Set<String>> runs = runs(cluster);
        assertThat(runs.get("stays")).hasSize(1);
        assertThat(runs.get("yields"))
                .hasSize((int) cluster.instances().stream()
                                .filter(TestCluster.Instance::alive)
                                .count()
                        - 1)
                .doesNotContainAnyElementsOf(runs.get("stays"));
    }

    @Test
    void unreadableJobDoesNotDelayOtherJobs(@Instances(2) TestCluster cluster) {
        schedule(cluster, JobConfiguration.newBuilder("stays", 1));
        new ZkCli(cluster).write("/jobs/stays/config", "{");
        cluster.leader().kill(); // the next leader never saw the job in a readable state
        schedule(cluster, JobConfiguration.newBuilder("yields", 1).antiAffinity("stays"));
        schedule(cluster, JobConfiguration.newBuilder("spread", 1).shardingStrategy("SPREAD"));
        cluster.advance(TestCluster.SESSION_TIMEOUT.plus(PERIOD));

        assertThat(runs(cluster)).containsKeys("yields", "spread");
    }
}
