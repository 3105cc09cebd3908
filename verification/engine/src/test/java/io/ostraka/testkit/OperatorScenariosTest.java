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

/** Tests actions of operators on running jobs. */
@ExtendWith(OstrakaExtension.class)
class OperatorScenariosTest {
    private record Run(String run, Instant fire, int item, Instant at) {}

    private final List<Run> runs = new ArrayList<>();

    private void record(TestCluster cluster, ShardingContext context) {
        runs.add(new Run(context.runId(), context.fireTime(), context.shardingItem(), cluster.now()));
    }

    private static JobConfiguration.Builder every10Seconds(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private void assertNothingRanTwice() {
        assertThat(runs.stream().map(run -> run.run + " item " + run.item)).doesNotHaveDuplicates();
    }

    /**
     * The trigger exists before its job, for example because an operator has restored its node. Calls of this library
     * never create such a trigger.
     */
    @Test
    void triggerOlderThanItsJobEndsWithoutARun(@Instances(2) TestCluster cluster) {
        new ZkCli(cluster)
                .write(
                        "/triggers/t-0000000000",
                        "{\"format\":4,\"job\":\"later\",\"runId\":\"early\",\"parameters\":{},\"items\":[]}");
        cluster.advance(Duration.ofMinutes(5));

        cluster.schedule(
                context -> record(cluster, context),
                JobConfiguration.newBuilder("later", 2).build());
        JobRun late = cluster.trigger("later", Map.of());
        cluster.advance(Duration.ofMinutes(3));
        assertThat(cluster.tree().children("/triggers")).isEmpty();
        assertThat(runs).extracting(Run::run).containsOnly(late.runId()).hasSize(2);
    }

    /**
     * Scenario 4. Guards against a follower that does not run its items of a fire because it is handling a membership
     * change.
     */
    @Test
    void followerRunsItsItemsOnceDespiteAMembershipChange(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                JobConfiguration.newBuilder("hit", 4).build());
        TestCluster.Instance follower = cluster.instances().stream()
                .filter(instance -> !instance.engine().leading())
                .findFirst()
                .orElseThrow();
        follower.store().holdReplies(); // the leader plans and runs; the follower does not see the trigger yet
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

        assertThat(runs.stream().map(Run::item)).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(run.completion().toCompletableFuture()).isCompleted();
    }

    static Stream<Arguments> misfires() {
        return Stream.of(
                Arguments.of(MisfirePolicy.fireOnce(), 1),
                Arguments.of(MisfirePolicy.skip(), 1),
                Arguments.of(MisfirePolicy.fireAll(3), 4));
    }

    /**
     * Scenario 14. Guards against a resumed job that catches up on ten minutes at once, or treats its trigger as a
     * misfire.
     */
    @ParameterizedTest
    @MethodSource("misfires")
    void resumedJobFollowsItsMisfirePolicyAndATriggerRunsOnce(MisfirePolicy policy, int expected) {
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
            // the latest fire is less than a period late, and thus on time under every policy
            assertThat(runs).hasSize(2 * expected);
            runs.clear();
            cluster.advance(Duration.ofMinutes(1));
            assertThat(runs).hasSizeBetween(2 * 5, 2 * 6).allMatch(run -> !run.fire.isBefore(resumed.minusSeconds(10)));
            assertNothingRanTwice();
        }
    }

    /**
     * Scenario 17. Guards against a disabled item that runs again after a restart, and a paused job that fires at
     * start-up.
     */
    @Test
    void disabledItemsAndPausesSurviveARestartOfAllInstances(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                every10Seconds("restarted", 3).build());
        cluster.amend("restarted", override -> override.withDisabledItems(Set.of("1")));
        cluster.instances().forEach(TestCluster.Instance::close);
        runs.clear();
        TestCluster.Instance next = cluster.join();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs.stream().map(Run::item)).contains(0, 2).doesNotContain(1);

        next.commands().amend("restarted", override -> override.withPaused(true));
        cluster.advance(Duration.ofSeconds(5));
        next.close();
        runs.clear();
        cluster.join();
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs).isEmpty();
    }

    /**
     * Scenario 17. Guards against a new job that starts as soon as it is registered, so that an operator must disable
     * it in a hurry.
     */
    @Test
    void jobRegisteredAsPausedStartsWhenResumedAndStaysSo(@Instances(2) TestCluster cluster) {
        JobConfiguration paused = every10Seconds("patient", 2).paused(true).build();
        cluster.schedule(context -> record(cluster, context), paused);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs).isEmpty();
        assertThat(cluster.trigger("patient", Map.of()).completion().toCompletableFuture())
                .isCompletedWithValueMatching(outcomes -> outcomes.size() == 2);

        runs.clear();
        cluster.amend("patient", override -> override.withPaused(false));
        cluster.instances().get(0).kill();
        cluster.join(); // registers the job as paused again
        cluster.advance(Duration.ofMinutes(5));
        assertThat(runs.stream().map(Run::item)).contains(0, 1);
    }

    /** Scenario 19. Guards against a completion that is reported twice, too early, or never. */
    @Test
    void triggerCompletesOnceAfterItsLastItem(TestCluster cluster) {
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

    /** Scenario 19. Guards against an endless wait for a trigger whose items are all disabled or do not exist. */
    @Test
    void triggerWithoutRunnableItemsCompletes(TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                JobConfiguration.newBuilder("still", 3).build());
        JobRun unknown = cluster.instances().get(0).engine().trigger("still", Map.of(), Set.of("7", "8"));
        JobRun partly = cluster.instances().get(0).engine().trigger("still", Map.of(), Set.of("1", "9"));
        cluster.advance(Duration.ofMinutes(3));
        assertThat(unknown.completion().toCompletableFuture())
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
