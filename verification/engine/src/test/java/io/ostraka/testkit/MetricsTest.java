package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SkipReason;
import io.ostraka.api.metrics.JobMetrics;
import io.ostraka.api.metrics.Load;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that each event is counted once, by the instance that causes it, so the metrics of all instances can be added
 * up.
 */
@ExtendWith(OstrakaExtension.class)
class MetricsTest {
    private static final String JOB = "measured";

    private final List<String> runs = new ArrayList<>();

    private static JobConfiguration.Builder every10Seconds(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private static JobConfiguration.Builder onDemand(int items) {
        return JobConfiguration.newBuilder(JOB, items);
    }

    private static long sum(TestCluster cluster, ToLongFunction<JobMetrics> figure) {
        return cluster.instances().stream()
                .map(instance -> instance.engine().metrics().jobs().get(JOB))
                .filter(Objects::nonNull)
                .mapToLong(figure)
                .sum();
    }

    private static long ended(TestCluster cluster, ItemOutcome outcome) {
        return sum(cluster, job -> job.ended(outcome));
    }

    private static long skips(TestCluster cluster, SkipReason reason) {
        return sum(cluster, job -> job.skips(reason));
    }

    private static JobMetrics only(TestCluster cluster) {
        return cluster.instances().get(0).engine().metrics().jobs().get(JOB);
    }

    @Test
    void everyRunIsCountedOnceByItsOutcome(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.runId());
                    if (context.shardingItem() == 1) {
                        throw new IllegalStateException("always");
                    }
                },
                every10Seconds(4).build());
        cluster.advance(Duration.ofMinutes(3));

        assertThat(runs).hasSize(4 * 18);
        assertThat(ended(cluster, ItemOutcome.SUCCEEDED)).isEqualTo(3 * 18);
        assertThat(ended(cluster, ItemOutcome.FAILED)).isEqualTo(18);
        assertThat(sum(cluster, job -> job.ended().size()))
                .as("number of distinct outcomes")
                .isLessThanOrEqualTo(4);
        assertThat(sum(cluster, job -> job.waiting().count())).isEqualTo(4 * 18);
        assertThat(sum(cluster, job -> job.delay().count())).isEqualTo(4 * 18);
        assertThat(sum(cluster, job -> job.running().count())).isEqualTo(4 * 18);
        assertThat(sum(cluster, JobMetrics::retries)).isZero();
        assertThat(sum(cluster, JobMetrics::misfires)).isZero();
        assertThat(sum(cluster, job -> job.skips().size() + job.failovers().size()))
                .isZero();
    }

    @Test
    void retriedRunCountsOnceWithTheTimeOfItsAttempts(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    cluster.advance(Duration.ofSeconds(2));
                    throw new IllegalStateException("never");
                },
                onDemand(1)
                        .retry(RetryPolicy.attempts(3)
                                .backoff(Duration.ofMinutes(1), 1, Duration.ofMinutes(1))
                                .jitter(0))
                        .build());
        cluster.trigger(JOB, Map.of());
        cluster.advance(Duration.ofMinutes(4));

        JobMetrics job = only(cluster);
        assertThat(job.retries()).isEqualTo(2);
        assertThat(job.ended()).containsExactly(Map.entry(ItemOutcome.FAILED, 1L));
        assertThat(job.running().max()).isEqualTo(Duration.ofSeconds(6));
        assertThat(job.waiting().count()).isEqualTo(1);
        assertThat(job.delay().count())
                .as("delays, counted for scheduled fires only")
                .isZero();
    }

    @Test
    void runThatExceedsItsTimeoutCountsAsTimedOut(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    while (!context.isCancelled()) {
                        cluster.advance(Duration.ofSeconds(1));
                    }
                },
                onDemand(1).timeout(Duration.ofSeconds(7)).build());
        cluster.trigger(JOB, Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(only(cluster).ended()).containsExactly(Map.entry(ItemOutcome.TIMED_OUT, 1L));
    }

    @Test
    void runReplacedByALaterFireCountsAsCancelled(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.runId());
                    while (runs.size() <= 2 && !context.isCancelled()) {
                        cluster.advance(Duration.ofSeconds(1));
                    }
                },
                every10Seconds(1).overlap(OverlapPolicy.cancelRunning()).build());
        cluster.advance(Duration.ofSeconds(60));

        assertThat(runs).hasSizeGreaterThan(2);
        assertThat(only(cluster).ended())
                .containsOnly(
                        Map.entry(ItemOutcome.CANCELLED, 2L), Map.entry(ItemOutcome.SUCCEEDED, (long) runs.size() - 2));
    }

    /** Guards against metrics of a slow job that do not show whether it starts late or runs long. */
    @Test
    void delayedStartsAndLongRunsAreMeasuredSeparately(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.fireTime().toString());
                    if (runs.size() <= 3) {
                        cluster.advance(Duration.ofSeconds(14));
                    }
                },
                every10Seconds(1)
                        .overlap(OverlapPolicy.queue(10))
                        .misfireThreshold(Duration.ofSeconds(30))
                        .build());
        cluster.advance(Duration.ofSeconds(40));

        JobMetrics job = only(cluster);
        assertThat(runs).hasSizeGreaterThan(3);
        assertThat(job.running().max()).isEqualTo(Duration.ofSeconds(14));
        // the delay of each fire is four seconds longer than that of the previous one
        assertThat(job.delay().max()).isBetween(Duration.ofSeconds(12), Duration.ofSeconds(13));
        assertThat(job.waiting().max()).isLessThan(Duration.ofSeconds(1));
        assertThat(job.misfires()).as("misfires, as the late fires overlapped").isZero();
    }

    @Test
    void misfiredFiresAreCountedWhetherRunOrSkipped(TestCluster cluster) {
        cluster.schedule(
                context -> runs.add(context.runId()),
                every10Seconds(2).misfire(MisfirePolicy.fireAll(3)).build());
        cluster.advance(Duration.ofMinutes(1));
        cluster.amend(JOB, override -> override.withPaused(true));
        long before = ended(cluster, ItemOutcome.SUCCEEDED);
        cluster.advance(Duration.ofMinutes(5));
        cluster.amend(JOB, override -> override.withPaused(false));
        cluster.advance(Duration.ofSeconds(5));

        // about 30 fires: three run late, one runs on time, and the others are skipped
        long run = ended(cluster, ItemOutcome.SUCCEEDED) - before;
        assertThat(run).isEqualTo(2 * 4);
        assertThat(sum(cluster, JobMetrics::misfires)).isEqualTo(2 * 3);
        assertThat(run + skips(cluster, SkipReason.MISFIRED)).isEqualTo(2 * 30);
    }

    @Test
    void overlappedFiresAreCountedOnce(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.runId());
                    cluster.advance(Duration.ofSeconds(25));
                },
                every10Seconds(1).overlap(OverlapPolicy.skip()).build());
        cluster.advance(Duration.ofSeconds(100));
        cluster.amend(JOB, override -> override.withPaused(true));
        cluster.advance(Duration.ofMinutes(1));

        JobMetrics job = only(cluster);
        // two fires come due during a run of 25 s; those of the last run are not decided yet
        assertThat(job.skips()).containsExactly(Map.entry(SkipReason.OVERLAPPED, 2L * (runs.size() - 1)));
    }

    @Test
    void triggersThatSkipAnItemAreCountedByReason(TestCluster cluster) {
        cluster.schedule(context -> runs.add(context.runId()), onDemand(4).build());
        cluster.amend(JOB, override -> override.withDisabledItems(Set.of("2")));
        cluster.trigger(JOB, Map.of());
        cluster.instances().get(0).engine().trigger(JOB, Map.of(), Set.of("0", "1"));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(runs).hasSize(3 + 2);
        assertThat(skips(cluster, SkipReason.DISABLED)).isEqualTo(1);
        assertThat(sum(cluster, job -> job.skips().size()))
                .as("items that the trigger does not name are not counted")
                .isEqualTo(1);
    }

    @Test
    void failoverIsCountedOnceAndSkipsOfTheDeadAreNotRecounted(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.runId());
                    if (runs.size() == 1) {
                        cluster.advance(Duration.ofSeconds(25));
                    } else if (runs.size() == 2) {
                        cluster.instance(context.instanceId()).kill();
                        cluster.advance(Duration.ofSeconds(1));
                    }
                },
                every10Seconds(1).overlap(OverlapPolicy.skip()).build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(sum(cluster, job -> job.failovers(FailoverReason.CRASHED))).isEqualTo(1);
        assertThat(sum(cluster, job -> job.failovers(FailoverReason.HANDED_OVER)))
                .isZero();
        assertThat(runs.get(2)).as("the fire that ran again").isEqualTo(runs.get(1));
        // two fires come due during the first run; the next owner counts those that came due during the killed run
        long overlapped = skips(cluster, SkipReason.OVERLAPPED);
        long fires = runs.stream().distinct().count();
        assertThat(overlapped + skips(cluster, SkipReason.MISFIRED) + fires).isEqualTo(12);
    }

    @Test
    void handedOverFireCountsAsInterruptedAndNotAsCrashed(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.instanceId());
                    if (runs.size() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                },
                onDemand(1)
                        .retry(RetryPolicy.attempts(3).backoff(Duration.ofMinutes(1), 1, Duration.ofMinutes(1)))
                        .build());
        cluster.trigger(JOB, Map.of());
        cluster.advance(Duration.ofSeconds(5));
        cluster.instance(runs.get(0)).close(); // during the pause before the retry
        cluster.advance(Duration.ofMinutes(2));

        assertThat(runs).hasSize(2).doesNotHaveDuplicates();
        assertThat(ended(cluster, ItemOutcome.INTERRUPTED)).isEqualTo(1);
        assertThat(ended(cluster, ItemOutcome.SUCCEEDED)).isEqualTo(1);
        assertThat(sum(cluster, job -> job.failovers(FailoverReason.HANDED_OVER)))
                .isEqualTo(1);
        assertThat(sum(cluster, job -> job.failovers(FailoverReason.CRASHED))).isZero();
        assertThat(sum(cluster, JobMetrics::retries))
                .as("retries, as the next owner's attempt is a failover")
                .isZero();
    }

    /**
     * Guards against a takeover that is counted as a crash although the process is alive and only has a new session.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void processWithANewSessionIsNotCountedAsCrashed(int instances) {
        for (long seed = 0; seed < 50; seed++) {
            runs.clear();
            try (TestCluster cluster = new TestCluster(instances, Instant.parse("2026-01-01T00:00:00Z"), seed)) {
                cluster.schedule(
                        context -> {
                            runs.add(context.instanceId());
                            if (runs.size() == 1) {
                                TestCluster.Instance own = cluster.instance(context.instanceId());
                                List<InMemoryNodeStore> others = cluster.instances().stream()
                                        .filter(instance -> instance != own)
                                        .map(TestCluster.Instance::store)
                                        .toList();
                                others.forEach(InMemoryNodeStore::holdWatches);
                                own.expireSession();
                                others.forEach(InMemoryNodeStore::releaseWatches);
                                cluster.advance(Duration.ofSeconds(2));
                            }
                        },
                        onDemand(1).build());
                cluster.trigger(JOB, Map.of());
                cluster.advance(Duration.ofMinutes(2));

                assertThat(runs).as("seed %d", seed).hasSize(2);
                assertThat(sum(cluster, job -> job.failovers(FailoverReason.CRASHED)))
                        .as("crashes, seed %d", seed)
                        .isZero();
                assertThat(sum(cluster, job -> job.failovers(FailoverReason.HANDED_OVER)))
                        .as("seed %d", seed)
                        .isEqualTo(1);
            }
        }
    }

    /** A stalled process wakes up and continues its run. The metrics must show that the result was rejected. */
    @Test
    void runOfAnItemTakenOverIsFencedOnce(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.instanceId());
                    if (runs.size() == 1) {
                        stall(cluster, context);
                    }
                },
                onDemand(1).sessionLoss(SessionLossPolicy.KEEP_RUNNING).build());
        cluster.trigger(JOB, Map.of());
        cluster.advance(Duration.ofMinutes(5));

        assertThat(runs).hasSize(2).doesNotHaveDuplicates();
        assertThat(sum(cluster, JobMetrics::fenced)).isEqualTo(1);
        assertThat(sum(cluster, job -> job.failovers(FailoverReason.CRASHED))).isEqualTo(1);
    }

    private static void stall(TestCluster cluster, ShardingContext context) {
        TestCluster.Instance own = cluster.instance(context.instanceId());
        own.store().suspend();
        long session = own.store().session();
        cluster.tree().expire(session);
        cluster.advance(Duration.ofMinutes(1)); // the other instance takes over the item
        own.store().reconnect();
        cluster.advance(Duration.ofMinutes(2));
    }

    /** Guards against metrics that are wrong after a network fault. */
    @Test
    void skipsOfAClaimAreCountedOnceDespiteALostReply(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(context.runId());
                    cluster.advance(Duration.ofSeconds(25));
                },
                every10Seconds(1).overlap(OverlapPolicy.skip()).build());
        cluster.advance(Duration.ofSeconds(15)); // the second and the third fire come due during the first run
        assertThat(runs).hasSize(1);
        cluster.instances().get(0).store().loseNextReply(); // the reply to the next claim
        cluster.advance(Duration.ofSeconds(10));

        assertThat(runs).hasSize(2).doesNotHaveDuplicates();
        assertThat(only(cluster).skips()).containsExactly(Map.entry(SkipReason.OVERLAPPED, 2L));
    }

    @Test
    void slotsInUseAreShown(@Instances(1) TestCluster cluster) {
        List<Load> seen = new ArrayList<>();
        cluster.schedule(
                context ->
                        seen.add(cluster.instances().get(0).engine().metrics().load()),
                onDemand(3).build());
        cluster.trigger(JOB, Map.of());
        cluster.advance(Duration.ofSeconds(5));

        assertThat(seen.get(0).slots().get("quick")).isEqualTo(new Load.Slots(256, 3, 3, 0, 0));
        assertThat(seen.get(0).workers().active()).isEqualTo(1);
        Load after = cluster.instances().get(0).engine().metrics().load();
        assertThat(after.slots())
                .containsEntry("quick", new Load.Slots(256, 0, 3, 0, 3))
                .containsEntry("slow", new Load.Slots(128, 0, 0, 0, 0));
        assertThat(after.workers().active()).isZero();
        assertThat(after.workers().completed()).isGreaterThanOrEqualTo(3);
        assertThat(after.serialExecutors().completed()).isPositive();
        assertThat(after.serialExecutors().queued()).isZero();
        assertThat(after.serialExecutors().active()).isZero();
    }
}
