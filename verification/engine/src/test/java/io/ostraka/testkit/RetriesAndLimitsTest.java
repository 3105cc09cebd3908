package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests runs that fail, that exceed their timeout, or that exceed the concurrency limit. */
@ExtendWith(OstrakaExtension.class)
class RetriesAndLimitsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> calls = new ArrayList<>();

    private static JobConfiguration.Builder onDemand(String name, int items) {
        return JobConfiguration.newBuilder(name, items);
    }

    private static JobConfiguration.Builder every10Seconds(String name) {
        return JobConfiguration.newBuilder(name, 1).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private JobRun trigger(TestCluster cluster, String job) {
        return cluster.instances().get(0).engine().trigger(job, Map.of(), Set.of());
    }

    private static Map<String, ItemOutcome> outcome(JobRun run) {
        assertThat(run.completion().toCompletableFuture()).isCompleted();
        return run.completion().toCompletableFuture().join();
    }

    private static String second(ShardingContext context, TestCluster cluster, Instant since) {
        return context.attempt() + "@" + Duration.between(since, cluster.now()).toSeconds();
    }

    @Test
    void failedItemIsRetriedWithBackoff(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add(second(context, cluster, context.fireTime()));
                    if (context.attempt() < 4) {
                        throw new IllegalStateException("not yet");
                    }
                },
                onDemand("again", 1)
                        .retry(RetryPolicy.attempts(5)
                                .backoff(Duration.ofSeconds(2), 3, Duration.ofSeconds(10))
                                .jitter(0))
                        .build());
        JobRun run = trigger(cluster, "again");
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).containsExactly("1@0", "2@2", "3@8", "4@18");
        assertThat(outcome(run)).containsExactly(Map.entry("0", ItemOutcome.SUCCEEDED));
    }

    @Test
    void itemFailsOnceItsAttemptsAreExhausted(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add("attempt " + context.attempt());
                    throw new IllegalStateException("never");
                },
                onDemand("never", 1).retry(RetryPolicy.attempts(3)).build());
        JobRun run = trigger(cluster, "never");
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).containsExactly("attempt 1", "attempt 2", "attempt 3");
        assertThat(outcome(run)).containsExactly(Map.entry("0", ItemOutcome.FAILED));
    }

    @Test
    void remainingAttemptsAreMadeByTheNextOwner(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add(context.attempt() + " " + context.instanceId());
                    throw new IllegalStateException("never");
                },
                onDemand("moving", 1)
                        .retry(RetryPolicy.attempts(3).backoff(Duration.ofMinutes(1), 1, Duration.ofMinutes(1)))
                        .build());
        trigger(cluster, "moving");
        cluster.advance(Duration.ofSeconds(5));
        TestCluster.Instance first = cluster.instances().stream()
                .filter(instance -> calls.get(0).endsWith(instance.id()))
                .findFirst()
                .orElseThrow();
        first.close();
        cluster.advance(Duration.ofMinutes(5));

        assertThat(calls).hasSize(3);
        assertThat(calls).extracting(call -> call.substring(0, 1)).containsExactly("1", "2", "3");
        assertThat(calls.get(1)).doesNotEndWith(calls.get(0).substring(2));
        assertThat(cluster.instances().stream()
                        .filter(TestCluster.Instance::alive)
                        .flatMap(instance ->
                                Optional.ofNullable(instance.metrics().jobs().get("moving")).stream())
                        .mapToLong(moving -> moving.ended(ItemOutcome.FAILED)))
                .containsOnlyOnce(1L);
    }

    @Test
    void runOverItsTimeoutIsCancelledAndNotRetried(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add("begins");
                    while (!context.isCancelled()) {
                        cluster.advance(SECOND);
                    }
                    calls.add(second(context, cluster, context.fireTime()));
                    throw new IllegalStateException("given up");
                },
                onDemand("long", 1)
                        .timeout(Duration.ofSeconds(7))
                        .retry(RetryPolicy.attempts(3))
                        .build());
        JobRun run = trigger(cluster, "long");
        cluster.advance(Duration.ofMinutes(1));

        assertThat(calls).containsExactly("begins", "1@7");
        assertThat(outcome(run)).containsExactly(Map.entry("0", ItemOutcome.TIMED_OUT));
    }

    @Test
    void timeoutEndsTheBackoffBetweenAttempts(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("never");
                },
                onDemand("pausing", 1)
                        .timeout(Duration.ofSeconds(7))
                        .retry(RetryPolicy.attempts(3).backoff(Duration.ofHours(1), 1, Duration.ofHours(1)))
                        .build());
        JobRun run = trigger(cluster, "pausing");
        cluster.advance(Duration.ofSeconds(10));

        assertThat(outcome(run)).containsExactly(Map.entry("0", ItemOutcome.TIMED_OUT));
    }

    @Test
    void codeThatDoesNotEndKeepsItsItemAndIsReported(TestCluster cluster) {
        List<String> whileItRuns = new ArrayList<>();
        cluster.schedule(
                context -> {
                    calls.add(context.fireTime().toString());
                    if (calls.size() == 1) {
                        cluster.advance(Duration.ofSeconds(25));
                        whileItRuns.add(stuck(cluster).size() + " stuck, " + calls.size() + " begun");
                        cluster.advance(Duration.ofSeconds(25));
                        whileItRuns.add(stuck(cluster).size() + " stuck, " + calls.size() + " begun");
                    }
                },
                every10Seconds("deaf").timeout(Duration.ofSeconds(20)).build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(whileItRuns).containsExactly("0 stuck, 1 begun", "1 stuck, 1 begun");
        assertThat(calls).hasSizeGreaterThan(5);
        assertThat(stuck(cluster)).isEmpty();
    }

    private static List<JobHealth.Reason> stuck(TestCluster cluster) {
        return cluster.instances().stream()
                .flatMap(instance -> instance.engine().health().jobs().values().stream())
                .flatMap(job -> job.reason(JobHealth.Kind.STUCK_ITEMS).stream())
                .toList();
    }

    @Test
    void laterFireReplacesTheRunningOne(TestCluster cluster) {
        List<Instant> fires = new ArrayList<>();
        cluster.schedule(
                context -> {
                    fires.add(context.fireTime());
                    long fire =
                            Duration.between(fires.get(0), context.fireTime()).toSeconds();
                    calls.add("begin " + fire);
                    if (calls.size() == 1) {
                        while (!context.isCancelled()) {
                            cluster.advance(SECOND);
                        }
                        calls.add("end " + fire);
                    }
                },
                every10Seconds("replaced")
                        .overlap(OverlapPolicy.cancelRunning())
                        .build());
        cluster.advance(Duration.ofSeconds(35));

        assertThat(calls).containsExactly("begin 0", "end 0", "begin 10", "begin 20");
    }

    @Test
    void triggeredRunIsNotCancelledByAScheduledFire(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add(context.triggerParameters().isEmpty() ? "scheduled" : "triggered");
                    if (!context.triggerParameters().isEmpty()) {
                        cluster.advance(Duration.ofSeconds(25));
                        calls.add(context.isCancelled() ? "cancelled" : "not cancelled");
                    }
                },
                every10Seconds("both").overlap(OverlapPolicy.cancelRunning()).build());
        cluster.instances().get(0).engine().trigger("both", Map.of("by", "hand"), Set.of());
        cluster.advance(Duration.ofSeconds(45));

        assertThat(calls).startsWith("triggered", "not cancelled", "scheduled");
    }

    @Test
    void itemThatFailsTooOftenIsQuarantinedUntilReleased(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add("fails");
                    throw new IllegalStateException("as ever");
                },
                every10Seconds("failing").quarantineAfter(2).build());
        cluster.advance(Duration.ofMinutes(2));
        assertThat(calls).hasSize(2);

        cluster.instances()
                .get(0)
                .commands()
                .execute(new Command.ReleaseItem("failing", "0"), CommandOptions.by("test"));
        cluster.advance(SECOND);
        assertThat(calls).hasSize(3);
        cluster.advance(Duration.ofMinutes(2));
        assertThat(calls).hasSize(4);
    }

    @Test
    void releasedItemRunsAtOnce(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add(context.instanceId());
                    throw new IllegalStateException("as ever");
                },
                every10Seconds("failing").quarantineAfter(1).build());
        cluster.advance(Duration.ofSeconds(15));
        assertRunsOnceReleased(cluster, "nothing else has come");

        cluster.trigger("failing", Map.of());
        assertRunsOnceReleased(cluster, "a trigger has gone by it");

        owner(cluster).store().suspend();
        cluster.advance(Duration.ofSeconds(3));
        owner(cluster).store().reconnect();
        cluster.advance(Duration.ofSeconds(3));
        assertRunsOnceReleased(cluster, "its owner was cut off");

        owner(cluster).expireSession();
        cluster.advance(Duration.ofSeconds(3));
        assertRunsOnceReleased(cluster, "its owner has a new session");

        String first = calls.get(calls.size() - 1);
        cluster.instance(first).close();
        cluster.advance(Duration.ofSeconds(3));
        assertRunsOnceReleased(cluster, "it has moved");
        assertThat(calls.get(calls.size() - 1)).isNotEqualTo(first);

        cluster.advance(Duration.ofSeconds(11));
        owner(cluster).store().suspend();
        var released = living(cluster)
                .commands()
                .execute(new Command.ReleaseItem("failing", "0"), CommandOptions.by("test"))
                .toCompletableFuture();
        cluster.advance(SECOND);
        assertThat(released).as("released while its owner is cut off").isCompleted();
        owner(cluster).store().reconnect();
        int before = calls.size();
        cluster.advance(SECOND);
        assertThat(calls).hasSize(before + 1);
    }

    @Test
    void removalResetsTheFailuresOfAJob(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    calls.add("fails");
                    throw new IllegalStateException("as ever");
                },
                every10Seconds("failing").quarantineAfter(3).build());
        cluster.advance(Duration.ofSeconds(15));
        cluster.amend("failing", override -> override.withRemoved(true));
        cluster.advance(Duration.ofMinutes(1));
        calls.clear();

        cluster.join();
        cluster.advance(Duration.ofMinutes(5));

        assertThat(calls).hasSize(3);
    }

    private TestCluster.Instance owner(TestCluster cluster) {
        return cluster.instances().stream()
                .filter(instance ->
                        instance.alive() && !instance.engine().health().jobs().isEmpty())
                .filter(instance -> instance.engine()
                        .health()
                        .jobs()
                        .get("failing")
                        .reason(JobHealth.Kind.QUARANTINED_ITEMS)
                        .isPresent())
                .findFirst()
                .orElseThrow();
    }

    private TestCluster.Instance living(TestCluster cluster) {
        TestCluster.Instance owner = owner(cluster);
        return cluster.instances().stream()
                .filter(instance -> instance.alive() && instance != owner)
                .findFirst()
                .orElseThrow();
    }

    private void assertRunsOnceReleased(TestCluster cluster, String after) {
        int before = calls.size();
        cluster.advance(Duration.ofSeconds(11));
        assertThat(calls).as("quarantined, " + after).hasSize(before);
        living(cluster).commands().execute(new Command.ReleaseItem("failing", "0"), CommandOptions.by("test"));
        cluster.advance(SECOND);
        assertThat(calls).as(after).hasSize(before + 1);
    }

    @Test
    void noMoreItemsRunAtOnceThanTheJobAllows(TestCluster cluster) {
        int[] running = {0, 0};
        cluster.schedule(
                context -> {
                    running[1] = Math.max(running[1], ++running[0]);
                    cluster.advance(SECOND);
                    calls.add("item " + context.shardingItem());
                    running[0]--;
                },
                onDemand("narrow", 12).concurrency(2).build());
        cluster.instances().get(2).close();
        cluster.instances().get(1).close();
        cluster.advance(SECOND);
        JobRun run = trigger(cluster, "narrow");
        cluster.advance(Duration.ofMinutes(1));

        assertThat(running[1]).isEqualTo(2);
        assertThat(calls).hasSize(12).doesNotHaveDuplicates();
        assertThat(outcome(run)).hasSize(12).containsValue(ItemOutcome.SUCCEEDED);
    }
}
