package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(OstrakaExtension.class)
class TestClusterTest {
    private record Run(String fire, int item, String instance, int attempt, long token) {
        static Run of(ShardingContext context) {
            return new Run(
                    context.fireTime().toString(),
                    context.shardingItem(),
                    context.instanceId(),
                    context.attempt(),
                    context.fencingToken());
        }
    }

    private final List<Run> runs = new ArrayList<>();

    private static JobConfiguration every10Seconds(String name, int items) {
        return JobConfiguration.newBuilder(name, items)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
                .build();
    }

    @Test
    void everyItemOfEveryFireRunsOnceSpreadOverAllInstances(TestCluster cluster) {
        cluster.schedule(context -> runs.add(Run.of(context)), every10Seconds("spread", 8));
        cluster.advance(Duration.ofMinutes(1));

        Map<String, List<Run>> fires = runs.stream().collect(Collectors.groupingBy(Run::fire));
        assertThat(fires).hasSize(6);
        fires.values().forEach(fire -> {
            assertThat(fire).extracting(Run::item).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
            assertThat(fire.stream().map(Run::instance).distinct()).hasSize(3);
        });
    }

    @Test
    void completionSurvivesALongLackOfReplies(TestCluster cluster) {
        JobConfiguration late = JobConfiguration.newBuilder("late", 1).build();
        cluster.schedule(context -> runs.add(Run.of(context)), late);
        cluster.instances().forEach(instance -> instance.engine().unregister("late"));
        TestCluster.Instance requester = cluster.instances().get(0);
        JobRun run = requester.engine().trigger("late", Map.of(), Set.of());
        cluster.advance(Duration.ofSeconds(10));
        requester.store().holdReplies();
        cluster.advance(Duration.ofMinutes(10));

        requester.store().releaseReplies();
        cluster.schedule(context -> runs.add(Run.of(context)), late);
        cluster.advance(Duration.ofMinutes(2));

        assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED));
    }

    @Test
    void survivorTakesOverFromKilledInstance(TestCluster cluster) {
        Set<String> killed = new TreeSet<>();
        SimpleJob job = context -> {
            if (context.shardingItem() == 3 && killed.isEmpty()) {
                killed.add(context.instanceId());
                cluster.instance(context.instanceId()).kill();
                return; // the result of a killed process is lost
            }
            runs.add(Run.of(context));
        };
        cluster.schedule(job, every10Seconds("failover", 8));
        cluster.advance(Duration.ofSeconds(60));

        List<Run> taken = runs.stream().filter(run -> run.attempt == 2).toList();
        assertThat(taken).isNotEmpty().allMatch(run -> !killed.contains(run.instance));
        assertThat(taken).extracting(Run::item).contains(3);
        Map<String, Long> perFireAndItem = runs.stream()
                .filter(run -> !killed.contains(run.instance))
                .collect(Collectors.groupingBy(run -> run.fire + "/" + run.item, Collectors.counting()));
        assertThat(perFireAndItem.values()).allMatch(count -> count == 1);
        Map<Integer, Long> tokens = new HashMap<>();
        runs.forEach(run -> {
            assertThat(run.token).isGreaterThan(tokens.getOrDefault(run.item, 0L));
            tokens.put(run.item, run.token);
        });
    }

    @Test
    void triggerRunsEveryItemOnceAndReportsItsOutcomes(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    assertThat(context.triggerParameters()).containsEntry("day", "monday");
                    runs.add(Run.of(context));
                    if (context.shardingItem() == 2) {
                        throw new IllegalStateException("item 2 fails on purpose");
                    }
                },
                JobConfiguration.newBuilder("by-hand", 4).build());
        JobRun run = cluster.trigger("by-hand", Map.of("day", "monday"));
        cluster.advance(Duration.ofSeconds(5));

        assertThat(runs).extracting(Run::item).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(run.completion().toCompletableFuture().join())
                .containsEntry("0", ItemOutcome.SUCCEEDED)
                .containsEntry("2", ItemOutcome.FAILED)
                .hasSize(4);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    @Test
    void triggerOfAnUnknownItemEndsAndDelaysNoOther(TestCluster cluster) {
        cluster.schedule(
                context -> runs.add(Run.of(context)),
                JobConfiguration.newBuilder("few", 2).build());
        JobRun unknown = cluster.instances().get(0).engine().trigger("few", Map.of(), Set.of("7"));
        JobRun next = cluster.trigger("few", Map.of());
        cluster.advance(Duration.ofSeconds(5));

        assertThat(unknown.completion().toCompletableFuture()).isCompletedWithValue(Map.of("7", ItemOutcome.SKIPPED));
        assertThat(next.completion().toCompletableFuture().join()).containsOnlyKeys("0", "1");
        assertThat(runs).extracting(Run::item).containsExactlyInAnyOrder(0, 1);
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    @Test
    void runThatEndsForLackOfOwnershipIsRunAgain(@Instances(1) TestCluster cluster) {
        // the silences begin just above two thirds of the session timeout; some end before the engine notices them,
        // others after
        for (int silence = 10_100; silence < 14_500; silence += 400) {
            Duration cut = Duration.ofMillis(silence);
            List<Integer> attempts = new ArrayList<>();
            cluster.schedule(
                    context -> {
                        attempts.add(context.attempt());
                        if (context.attempt() == 1) {
                            InMemoryNodeStore store =
                                    cluster.instance(context.instanceId()).store();
                            store.suspend();
                            cluster.advance(cut);
                            try {
                                context.checkOwnership();
                            } finally {
                                store.reconnect();
                            }
                        }
                    },
                    JobConfiguration.newBuilder("silent-" + silence, 1).build());
            cluster.trigger("silent-" + silence, Map.of());
            cluster.advance(Duration.ofMinutes(1));

            assertThat(attempts).as("attempts after %s", cut).containsExactly(1, 2);
        }
    }

    @Test
    void jobWhoseLastHostDiedDuringARunCanBeRemovedAndPurged(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> cluster.instance(context.instanceId()).kill(),
                JobConfiguration.newBuilder("deserted", 1).build());
        String owner = cluster.instances().get(0).id();
        cluster.instances().get(1).engine().unregister("deserted");
        cluster.advance(Duration.ofSeconds(5));
        JobRun run = cluster.instances().get(1).engine().trigger("deserted", Map.of(), Set.of());
        cluster.advance(Duration.ofSeconds(60));
        assertThat(cluster.instance(owner).alive()).isFalse();

        cluster.amend("deserted", override -> override.withRemoved(true));
        cluster.advance(Duration.ofSeconds(60));
        assertThat(run.completion().toCompletableFuture().join()).containsOnlyKeys("0");
        cluster.instances().get(1).commands().execute(new Command.Purge("deserted"), CommandOptions.by("test"));
        cluster.advance(Duration.ofSeconds(1));
        assertThat(cluster.tree().children("/jobs")).isEmpty();
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    @Test
    void failureWithoutAReadableMessageDoesNotBlockItsItem(@Instances(1) TestCluster cluster) {
        final class Unspeakable extends RuntimeException {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalStateException("not even that");
            }
        }
        cluster.schedule(
                context -> {
                    runs.add(Run.of(context));
                    throw new Unspeakable();
                },
                every10Seconds("unspeakable", 1));
        cluster.advance(Duration.ofSeconds(60));

        assertThat(runs).hasSize(6);
    }

    @Test
    void hundredsOfItemsWithLongFailureTextsAreCompleted(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    runs.add(Run.of(context));
                    throw new IllegalStateException("錯".repeat(600));
                },
                every10Seconds("long-texts", 450));
        cluster.advance(Duration.ofSeconds(60));

        assertThat(runs).hasSizeGreaterThanOrEqualTo(450 * 5);
    }

    @ParameterizedTest
    @CsvSource({"10, true", "300, false"})
    void closeEndsFormOneBatchAlthoughAnItemOfTheClaimStillRuns(
            int millisApart, boolean together, @Instances(1) TestCluster cluster) {
        List<Integer> begun = new ArrayList<>();
        List<Long> written = new ArrayList<>();
        cluster.schedule(
                context -> {
                    begun.add(context.shardingItem());
                    if (begun.size() == 1) {
                        cluster.advance(Duration.ofSeconds(5));
                        begun.forEach(item -> written.add(cluster.tree()
                                .read("/jobs/lingering/sharding/" + item)
                                .orElseThrow()
                                .mzxid()));
                    } else if (begun.size() == 2) {
                        cluster.advance(Duration.ofMillis(millisApart));
                    }
                },
                JobConfiguration.newBuilder("lingering", 3).build());
        cluster.trigger("lingering", Map.of());
        cluster.advance(Duration.ofMinutes(1));

        assertThat(written).hasSize(3);
        assertThat(written.get(0)).as("write of the item that still runs").isLessThan(written.get(1));
        assertThat(written.get(1).equals(written.get(2))).isEqualTo(together);
    }

    @Test
    void expiredSessionIsRenewedAndNothingRunsTwice(TestCluster cluster) {
        cluster.schedule(context -> runs.add(Run.of(context)), every10Seconds("renewed", 6));
        cluster.advance(Duration.ofSeconds(25));
        cluster.instances().get(0).expireSession();
        cluster.advance(Duration.ofSeconds(60));

        Map<String, Long> perFireAndItem =
                runs.stream().collect(Collectors.groupingBy(run -> run.fire + "/" + run.item, Collectors.counting()));
        assertThat(perFireAndItem.values()).allMatch(count -> count == 1);
        assertThat(perFireAndItem).hasSizeGreaterThanOrEqualTo(6 * 8);
    }

    @Test
    void itemCountChangesWithoutTwoCountsAtOnce(TestCluster cluster) {
        List<String> totals = new ArrayList<>();
        cluster.schedule(
                context -> {
                    runs.add(Run.of(context));
                    totals.add(context.fireTime() + " of " + context.shardingTotalCount());
                },
                every10Seconds("resized", 3));
        cluster.advance(Duration.ofSeconds(30));
        cluster.amend("resized", override -> override.withShardingTotalCount(7));
        cluster.advance(Duration.ofSeconds(30));
        cluster.amend("resized", override -> override.withShardingTotalCount(2));
        cluster.advance(Duration.ofSeconds(30));

        assertThat(totals.stream()
                        .map(text -> text.substring(text.length() - 4))
                        .distinct())
                .containsExactly("of 3", "of 7", "of 2");
        assertThat(totals.stream().distinct().map(text -> text.substring(0, 20)).distinct())
                .hasSameSizeAs(totals.stream().distinct().toList());
        cluster.amend("resized", override -> override.withRemoved(true));
        int before = runs.size();
        cluster.advance(Duration.ofSeconds(60));
        assertThat(runs).hasSize(before);
    }
}
