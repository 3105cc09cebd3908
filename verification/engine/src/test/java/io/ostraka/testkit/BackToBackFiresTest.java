package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.metrics.JobMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests items whose next fire is due when a run ends. One transaction then contains the completion and the next claim.
 */
@ExtendWith(OstrakaExtension.class)
class BackToBackFiresTest {
    private static final Duration RUN = Duration.ofSeconds(1);
    private static final int AT_A_STRETCH = 30;

    private final List<String> fires = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();
    private final List<String> owners = new ArrayList<>();

    /**
     * Schedules a job that runs again at once after each run, except for a pause of one minute after each {@link
     * #AT_A_STRETCH} runs.
     */
    private void schedule(TestCluster cluster, int items, UnaryOperator<JobConfiguration.Builder> more) {
        cluster.schedule(
                context -> {
                    fires.add(
                            context.shardingItem() + " of " + context.fireTime() + " by attempt " + context.attempt());
                    tokens.add(context.fencingToken());
                    owners.add(context.instanceId());
                    cluster.advance(RUN);
                    if (fires.size() % AT_A_STRETCH < items) {
                        context.idle();
                    }
                },
                more.apply(JobConfiguration.newBuilder("job", items)
                                .schedule(Schedule.continuous(Duration.ofMinutes(1))))
                        .build());
        cluster.advance(Duration.ofSeconds(10));
        assertThat(fires).isNotEmpty();
    }

    private static JobMetrics figures(TestCluster.Instance instance) {
        return instance.engine().metrics().jobs().get("job");
    }

    @Test
    void fireCostsOneTransaction(@Instances(1) TestCluster cluster) {
        schedule(cluster, 1, job -> job);
        long ran = fires.size();
        long commits = cluster.instances().get(0).store().operations().commits();
        cluster.advance(Duration.ofMinutes(2));

        ran = fires.size() - ran;
        assertThat(ran).isGreaterThan(AT_A_STRETCH / 2);
        assertThat(cluster.instances().get(0).store().operations().commits() - commits)
                .isLessThanOrEqualTo(ran + 2 * (1 + ran / AT_A_STRETCH));
    }

    private static Stream<Arguments> faults() {
        return Stream.of(
                fault("a lost reply", cluster -> cluster.leader().store().loseNextReply()),
                fault("a lost request", cluster -> cluster.leader().store().loseNextRequest()),
                fault("a lost session", cluster -> cluster.leader().expireSession()),
                fault("a lost reply and session", cluster -> {
                    TestCluster.Instance instance = cluster.leader();
                    instance.store().loseNextReply();
                    cluster.time().after(RUN, instance::expireSession);
                }),
                fault("another plan", cluster -> cluster.amend("job", override -> override.withJobParameter("other"))));
    }

    private static Arguments fault(String name, Consumer<TestCluster> fault) {
        return Arguments.of(name, fault);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void eachRunIsReportedOnceAndTheNextStartsDespiteFaults(
            String name, Consumer<TestCluster> fault, @Instances(1) TestCluster cluster) {
        schedule(cluster, 1, job -> job);
        TestCluster.Instance instance = cluster.instances().get(0);
        JobMetrics before = figures(instance);
        int ran = fires.size();
        cluster.time().after(Duration.ofSeconds(62), () -> fault.accept(cluster));
        cluster.advance(Duration.ofMinutes(2));

        JobMetrics after = figures(instance);
        assertThat(fires).hasSizeGreaterThan(ran + 20).doesNotHaveDuplicates();
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(after.fenced() - before.fenced()).isZero();
        assertThat(after.ended())
                .containsOnlyKeys(
                        name.contains("session")
                                ? List.of(ItemOutcome.SUCCEEDED, ItemOutcome.INTERRUPTED)
                                : List.of(ItemOutcome.SUCCEEDED));
        assertThat(after.ended(ItemOutcome.INTERRUPTED)).isLessThanOrEqualTo(1);
        assertThat(fires.size()
                        - after.ended().values().stream()
                                .mapToLong(Long::longValue)
                                .sum())
                .as("runs that have not ended")
                .isBetween(0L, 1L);
    }

    @Test
    void movedItemCompletesAndContinuesOnItsNextOwner(@Instances(1) TestCluster cluster) {
        schedule(cluster, 1, job -> job);
        TestCluster.Instance other = cluster.join();
        String first = owners.get(0);
        cluster.time().after(Duration.ofSeconds(62), () -> {
            cluster.amend("job", override -> override.withDisabledInstances(Set.of(first)));
            owners.add("moved");
        });
        cluster.advance(Duration.ofMinutes(3));

        List<String> afterwards = owners.subList(owners.indexOf("moved") + 1, owners.size());
        assertThat(afterwards).endsWith(other.id()).hasSizeGreaterThan(20);
        assertThat(afterwards.stream().filter(first::equals).count()).isLessThanOrEqualTo(1);
        assertThat(fires).doesNotHaveDuplicates();
        assertThat(figures(other).fenced() + figures(cluster.instance(first)).fenced())
                .isZero();
    }

    /** The previous run is completed even if no slot is free for the next one. */
    @Test
    void completionDoesNotWaitForASlot(@Instances(1) TestCluster cluster) {
        schedule(cluster, 3, job -> job.concurrency(1));
        cluster.advance(Duration.ofMinutes(5));

        for (int item = 0; item < 3; item++) {
            String key = item + " of ";
            assertThat(fires.stream().filter(fire -> fire.startsWith(key)).count())
                    .isGreaterThan(10);
        }
    }
}
