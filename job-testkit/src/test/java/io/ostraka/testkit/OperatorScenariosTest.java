package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What operators do to jobs that run. */
@ExtendWith(OstrakaExtension.class)
class OperatorScenariosTest {
    private record Ran(String run, Instant fire, int item, Instant at) {}

    private final List<Ran> runs = new ArrayList<>();

    private void record(TestCluster cluster, ShardingContext context) {
        runs.add(new Ran(context.runId(), context.fireTime(), context.shardingItem(), cluster.now()));
    }

    private static JobConfiguration.Builder every10Seconds(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private void assertNothingRanTwice() {
        assertThat(runs.stream().map(run -> run.run + " item " + run.item)).doesNotHaveDuplicates();
    }

    /** A trigger that is there before its job, put back by hand, say: no call of this library's leaves one. */
    @Test
    void aTriggerOlderThanItsJobWaitsForItAndThenEndsWithNothingRun(@Instances(2) TestCluster cluster) {
        new Hand(cluster)
                .write(
                        "/triggers/t-0000000000",
                        "{\"format\":1,\"job\":\"later\",\"runId\":\"early\",\"parameters\":{},\"items\":[]}");
        cluster.advance(Duration.ofMinutes(5));

        cluster.schedule(
                context -> record(cluster, context),
                JobConfiguration.newBuilder("later", 2).build());
        JobRun late = cluster.trigger("later", Map.of());
        cluster.advance(Duration.ofMinutes(3));
        assertThat(cluster.tree().children("/triggers")).isEmpty();
        assertThat(runs).extracting(Ran::run).containsOnly(late.runId()).hasSize(2);
    }

    /** Scenario 4: those whose follower, busy with a change of membership, let its items of a run pass. */
    @Test
    void aFollowerRunsItsItemsOnceThoughTheMembershipChangesBeforeItStarts(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                JobConfiguration.newBuilder("hit", 4).build());
        TestCluster.Instance follower = cluster.instances().stream()
                .filter(instance -> !instance.engine().leading())
                .findFirst()
                .orElseThrow();
        follower.store().holdReplies(); // the leader plans and runs; the follower has not heard of the trigger
        JobRun run = cluster.instances().stream()
                .filter(instance -> instance != follower)
                .findFirst()
                .orElseThrow()
                .engine()
                .trigger("hit", Map.of(), Set.of());
        cluster.advance(Duration.ofSeconds(1));
        assertThat(runs).hasSize(2);
        cluster.join();
        cluster.advance(Duration.ofSeconds(1));
        follower.store().releaseReplies();
        cluster.advance(Duration.ofSeconds(10));

        assertThat(runs.stream().map(Ran::item)).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(run.completion().toCompletableFuture()).isCompleted();
    }

    static Stream<Arguments> misfires() {
        return Stream.of(
                Arguments.of(MisfirePolicy.fireOnce(), 1),
                Arguments.of(MisfirePolicy.skip(), 1),
                Arguments.of(MisfirePolicy.fireAll(3), 4));
    }

    /** Scenario 14: those whose resumed job caught up on ten minutes at once, or whose trigger counted as a misfire. */
    @ParameterizedTest
    @MethodSource("misfires")
    void aPauseOfTenMinutesEndsInWhatThePolicySaysAndATriggerMeanwhileRunsOnce(MisfirePolicy policy, int expected) {
        try (TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 0)) {
            cluster.schedule(
                    context -> record(cluster, context),
                    every10Seconds("paused", 2).misfire(policy).build());
            cluster.advance(Duration.ofMinutes(1));
            cluster.amend("paused", override -> override.withPaused(true));
            runs.clear();
            cluster.advance(Duration.ofMinutes(5));
            JobRun triggered = cluster.trigger("paused", Map.of());
            cluster.advance(Duration.ofMinutes(5));
            assertThat(runs).hasSize(2).allMatch(run -> run.run.equals(triggered.runId()));

            runs.clear();
            Instant resumed = cluster.now();
            cluster.amend("paused", override -> override.withPaused(false));
            cluster.advance(Duration.ofSeconds(1));
            // the latest fire is less than a period old, and so on time whatever the policy
            assertThat(runs).hasSize(2 * expected);
            runs.clear();
            cluster.advance(Duration.ofMinutes(1));
            assertThat(runs).hasSizeBetween(2 * 5, 2 * 6).allMatch(run -> !run.fire.isBefore(resumed.minusSeconds(10)));
            assertNothingRanTwice();
        }
    }

    /** Scenario 17: those whose disabled shard was back after a restart, and whose paused job fired at start-up. */
    @Test
    void whatIsDisabledOrPausedStaysSoThroughARestartOfEverything(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                every10Seconds("restarted", 3).build());
        cluster.amend("restarted", override -> override.withDisabledItems(Set.of("1")));
        cluster.instances().forEach(TestCluster.Instance::close);
        runs.clear();
        TestCluster.Instance next = cluster.join();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs.stream().map(Ran::item)).contains(0, 2).doesNotContain(1);

        next.engine().amend("restarted", override -> override.withPaused(true));
        cluster.advance(Duration.ofSeconds(5));
        next.close();
        runs.clear();
        cluster.join();
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs).isEmpty();
    }

    /** Scenario 17: those whose new job had to be disabled in a hurry because registering it started it. */
    @Test
    void aJobRegisteredAsPausedFiresNothingUntilItIsResumedAndStaysResumed(@Instances(2) TestCluster cluster) {
        JobConfiguration paused = every10Seconds("patient", 2).paused(true).build();
        cluster.schedule(context -> record(cluster, context), paused);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs).isEmpty();
        assertThat(cluster.trigger("patient", Map.of()).completion().toCompletableFuture())
                .isCompletedWithValueMatching(outcomes -> outcomes.size() == 2);

        runs.clear();
        cluster.amend("patient", override -> override.withPaused(false));
        cluster.instances().get(0).kill();
        cluster.join(); // registers it as paused once more
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs.stream().map(Ran::item)).contains(0, 1);
    }

    /** Scenario 19: those whose "all shards are done" came twice, too early, or never. */
    @Test
    void theEndOfAFireIsToldOnceAndLastWithOneSlowItemAndItemsThatEndTogether(TestCluster cluster) {
        List<Map<String, ItemOutcome>> ends = new ArrayList<>();
        List<Integer> ended = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 3) {
                        cluster.advance(Duration.ofSeconds(90));
                        assertThat(ends).isEmpty();
                    }
                    ended.add(context.shardingItem());
                    if (context.shardingItem() == 5) {
                        throw new IllegalStateException("on purpose");
                    }
                },
                JobConfiguration.newBuilder("told", 9).build());
        JobRun run = cluster.trigger("told", Map.of());
        run.completion().thenAccept(outcomes -> {
            assertThat(ended).hasSize(9);
            ends.add(outcomes);
        });
        cluster.advance(Duration.ofMinutes(3));

        assertThat(ends).hasSize(1);
        assertThat(ends.get(0))
                .hasSize(9)
                .containsEntry("3", ItemOutcome.SUCCEEDED)
                .containsEntry("5", ItemOutcome.FAILED);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    /** Scenario 19 too: those who waited for ever for a run all of whose shards were disabled, or none of which existed. */
    @Test
    void aRunOfWhichNothingCanRunEndsAllTheSame(TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                JobConfiguration.newBuilder("still", 3).build());
        JobRun nobody = cluster.instances().get(0).engine().trigger("still", Map.of(), Set.of("7", "8"));
        JobRun partly = cluster.instances().get(0).engine().trigger("still", Map.of(), Set.of("1", "9"));
        cluster.advance(Duration.ofMinutes(3));
        assertThat(nobody.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("7", ItemOutcome.SKIPPED, "8", ItemOutcome.SKIPPED));
        assertThat(partly.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("1", ItemOutcome.SUCCEEDED, "9", ItemOutcome.SKIPPED));

        cluster.amend("still", override -> override.withDisabledItems(Set.of("0", "1", "2")));
        JobRun disabled = cluster.trigger("still", Map.of());
        cluster.advance(Duration.ofSeconds(10));
        assertThat(disabled.completion().toCompletableFuture())
                .isCompletedWithValue(IntStream.range(0, 3)
                        .boxed()
                        .collect(Collectors.toMap(String::valueOf, item -> ItemOutcome.SKIPPED)));
        assertThat(runs).hasSize(1);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }
}
