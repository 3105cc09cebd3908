package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.BackfillDetails.State;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a backfill runs each past fire of a period once, oldest first. */
@ExtendWith(OstrakaExtension.class)
class BackfillTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final Instant DECEMBER = Instant.parse("2025-12-01T00:00:00Z");
    private static final Instant JANUARY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    /** A completed run of user code. */
    private record Ran(
            Instant date, int item, int total, Map<String, String> parameters, String instance, int attempt) {}

    private final List<Ran> ran = new ArrayList<>();
    private final Set<Instant> failing = new HashSet<>();
    private final Set<TestCluster.Instance> killed = new HashSet<>();

    private void nightly(TestCluster cluster, int items) {
        cluster.schedule(
                context -> {
                    if (failing.contains(context.fireTime()) && context.shardingItem() == 0) {
                        throw new IllegalStateException("as asked");
                    }
                    ran.add(new Ran(
                            context.fireTime(),
                            context.shardingItem(),
                            context.shardingTotalCount(),
                            context.triggerParameters(),
                            context.instanceId(),
                            context.attempt()));
                },
                JobConfiguration.newBuilder("settle", items)
                        .schedule(Schedule.cron("0 0 2 * * ?", ZoneId.of("UTC")))
                        .build());
    }

    private static BackfillDetails backfill(Operations operations) {
        List<BackfillDetails> all = operations.backfills();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private List<Instant> dates() {
        return ran.stream().map(Ran::date).toList();
    }

    private static List<Instant> december() {
        return IntStream.range(0, 31)
                .mapToObj(day -> DECEMBER.plus(DAY.multipliedBy(day)).plus(Duration.ofHours(2)))
                .toList();
    }

    @Test
    void datesRunInOrderOneAfterTheOther(@Instances(2) TestCluster cluster) {
        nightly(cluster, 3);
        Operations operations = cluster.observe();

        CommandResult result = operations.execute(
                new Command.Backfill("settle", DECEMBER, JANUARY, Map.of("mode", "again"), 1, 1), ANN);
        cluster.advance(Duration.ofMinutes(10));

        assertThat(result).isInstanceOfSatisfying(CommandResult.Applied.class, applied -> assertThat(applied.text())
                .contains("31 past fires", "2025-12-01T02:00:00Z", "2025-12-31T02:00:00Z"));
        assertThat(ran).hasSize(93).allMatch(each -> each.parameters().equals(Map.of("mode", "again")));
        assertThat(dates()).isSorted();
        assertThat(new ArrayList<>(new TreeSet<>(dates()))).isEqualTo(december());
        BackfillDetails ended = backfill(operations);
        assertThat(ended.state()).isEqualTo(State.ENDED);
        assertThat(List.of(ended.fires(), ended.triggered(), ended.succeeded(), ended.failed(), ended.unknown()))
                .containsExactly(31, 31, 31, 0, 0);
        assertThat(ended.next()).isNull();
        assertThat(ended.requested().by()).isEqualTo("ann");
        assertThat(ended.requested().reason()).isEqualTo("ticket 7");
        assertThat(cluster.tree().children("/triggers")).isEmpty();
    }

    /** Runs take up to 20 s. Meanwhile the leader and owners die, instances join, and the item count changes. */
    @Tag("slow")
    @Test
    void aMonthSurvivesKillsACountChangeAndANewLeader(TestCluster cluster) {
        Random random = new Random(7);
        cluster.instances().forEach(instance -> slow(cluster, instance, random));
        nightly(cluster, 50);
        Operations operations = cluster.observe();
        operations.execute(
                new Command.Backfill("settle", DECEMBER, JANUARY, Map.of(), 2, 1), ANN.withRequestId("december"));
        int mostRunning = 0;
        for (int second = 0; second < 3_600 && backfill(operations).state() == State.RUNNING; second++) {
            cluster.advance(Duration.ofSeconds(1));
            if (second == 60) {
                kill(cluster.leader());
            } else if (second == 100) {
                slow(cluster, cluster.join(), random);
            } else if (second == 130) {
                operations.execute(new Command.SetOverride("settle", "shardingTotalCount", 40), ANN);
            } else if (second == 200) {
                cluster.leader().close();
                slow(cluster, cluster.join(), random);
            } else if (second == 240) {
                kill(cluster.instances().stream()
                        .filter(TestCluster.Instance::alive)
                        .findFirst()
                        .orElseThrow());
                slow(cluster, cluster.join(), random);
            } else if (second == 300) {
                operations.execute(new Command.StopBackfill("settle"), ANN);
                cluster.advance(Duration.ofMinutes(2));
                int before = ran.size();
                cluster.advance(Duration.ofMinutes(2));
                assertThat(ran).as("runs after the stop").hasSize(before);
                assertThat(backfill(operations).running()).isEmpty();
                operations.execute(new Command.ResumeBackfill("settle"), ANN);
            }
            mostRunning = Math.max(mostRunning, backfill(operations).running().size());
        }

        BackfillDetails ended = backfill(operations);
        assertThat(ended.state()).as(ended.toString()).isEqualTo(State.ENDED);
        assertThat(ended.id()).isEqualTo("december");
        assertThat(ended.succeeded()).isEqualTo(31);
        assertThat(mostRunning).isEqualTo(2);
        Map<Instant, Set<Integer>> items = new TreeMap<>();
        Map<Instant, Set<Integer>> totals = new TreeMap<>();
        Map<Integer, List<Instant>> datesOfItem = new HashMap<>();
        Set<String> dead = killed.stream().map(TestCluster.Instance::id).collect(Collectors.toSet());
        Map<String, Ran> runs = new HashMap<>();
        ran.forEach(each -> {
            Ran before = runs.put(each.date() + " " + each.item(), each);
            if (before != null) { // its owner died between the end of the code and the completion in ZooKeeper
                assertThat(dead)
                        .as("owner of %s, which ran again: %s", before, each)
                        .contains(before.instance());
                assertThat(each.attempt()).isEqualTo(before.attempt() + 1);
            }
            items.computeIfAbsent(each.date(), date -> new HashSet<>()).add(each.item());
            totals.computeIfAbsent(each.date(), date -> new HashSet<>()).add(each.total());
            datesOfItem.computeIfAbsent(each.item(), item -> new ArrayList<>()).add(each.date());
        });
        assertThat(List.copyOf(items.keySet())).isEqualTo(december());
        totals.forEach((date, counts) ->
                assertThat(counts).as("item counts of " + date).hasSize(1));
        items.forEach((date, all) -> assertThat(all)
                .as("items of " + date)
                .hasSize(totals.get(date).iterator().next()));
        assertThat(totals.values().stream().flatMap(Set::stream)).contains(50, 40);
        assertThat(datesOfItem.values()).allSatisfy(dates -> assertThat(dates).isSorted());
    }

    private void kill(TestCluster.Instance instance) {
        killed.add(instance);
        instance.kill();
    }

    /** Random instances lose replies, requests and sessions. Meanwhile an operator stops and resumes the backfill. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void eachDateRunsInOrderWhateverIsLost(int seed) {
        Random random = new Random(seed);
        try (TestCluster cluster = new TestCluster(3, JANUARY.plus(Duration.ofHours(12)), seed)) {
            cluster.instances().forEach(instance -> slow(cluster, instance, random));
            nightly(cluster, 3);
            Operations operations = cluster.observe();
            operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY, Map.of(), 1 + seed % 3, 10_000), ANN);
            for (int second = 0; second < 3_600 && backfill(operations).state() == State.RUNNING; second++) {
                cluster.advance(Duration.ofSeconds(1));
                TestCluster.Instance any = cluster.instances().get(random.nextInt(3));
                switch (random.nextInt(40)) {
                    case 0, 1, 2 -> any.store().loseNextReply();
                    case 3, 4, 5 -> any.store().loseNextRequest();
                    case 6, 7, 8 -> any.store().reconnect();
                    case 9 -> any.expireSession();
                    case 10 -> {
                        if (backfill(operations).state() != State.RUNNING) {
                            break; // it has ended in this second
                        }
                        operations.execute(new Command.StopBackfill("settle"), ANN);
                        cluster.advance(Duration.ofMillis(random.nextInt(2_000)));
                        operations.execute(new Command.ResumeBackfill("settle"), ANN);
                    }
                    default -> {}
                }
            }

            BackfillDetails ended = backfill(operations);
            assertThat(ended.state()).as(ended.toString()).isEqualTo(State.ENDED);
            assertThat(ended.succeeded() + ended.failed()).isEqualTo(31);
            assertThat(ran.stream().map(each -> each.item() + " " + each.date()).distinct())
                    .hasSize(93);
            for (int item = 0; item < 3; item++) {
                int own = item;
                assertThat(ran.stream().filter(each -> each.item() == own).map(Ran::date))
                        .isSorted();
            }
        }
    }

    /**
     * Delays the start of the instance's code by up to 20 s after the claim. The code does not start if the instance
     * has been killed.
     */
    private void slow(TestCluster cluster, TestCluster.Instance instance, Random random) {
        instance.setThreads(threads -> task -> cluster.time().after(Duration.ofMillis(random.nextInt(20_000)), () -> {
            if (!killed.contains(instance)) {
                threads.execute(task);
            }
        }));
    }

    @Test
    void failedFireStopsTheBackfillUntilItIsResumed(@Instances(2) TestCluster cluster) {
        failing.add(december().get(4));
        nightly(cluster, 2);
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        cluster.advance(Duration.ofMinutes(5));

        BackfillDetails failed = backfill(operations);
        assertThat(failed.state()).isEqualTo(State.FAILED);
        assertThat(failed.failedDates()).containsExactly(december().get(4));
        assertThat(failed.next()).isEqualTo(december().get(5));
        assertThat(cluster.leader().health().jobs().get("settle").reason(Kind.BACKFILL_FAILED))
                .hasValueSatisfying(reason -> assertThat(reason.text())
                        .contains("5 of 31 fires", december().get(4).toString(), "resume"));

        operations.execute(new Command.ResumeBackfill("settle"), CommandOptions.by("bob"));
        cluster.advance(Duration.ofMinutes(5));

        BackfillDetails ended = backfill(operations);
        assertThat(ended.state()).isEqualTo(State.ENDED);
        assertThat(ended.failed()).isEqualTo(1);
        assertThat(ended.succeeded()).isEqualTo(30);
        assertThat(ended.last()).isNotNull().satisfies(last -> assertThat(last.by())
                .isEqualTo("bob"));
        assertThat(cluster.leader().health().jobs().get("settle").reason(Kind.BACKFILL_FAILED))
                .isEmpty();
    }

    @Test
    void toleratedFailuresDoNotStopTheBackfill(@Instances(1) TestCluster cluster) {
        failing.addAll(december().subList(4, 7));
        nightly(cluster, 2);
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY, Map.of(), 16, 4), ANN);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(backfill(operations).state()).isEqualTo(State.ENDED);
        assertThat(backfill(operations).failed()).isEqualTo(3);
    }

    @Test
    void disabledItemMakesItsFireFail(@Instances(1) TestCluster cluster) {
        nightly(cluster, 2);
        Operations operations = cluster.observe();
        operations.execute(new Command.DisableItem("settle", "1"), ANN);
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(backfill(operations).state()).isEqualTo(State.FAILED);
        assertThat(operations.run(
                        "settle",
                        backfill(operations).id() + "-" + december().get(0).toEpochMilli()))
                .hasValueSatisfying(run -> assertThat(run.outcomes()).containsEntry("1", ItemOutcome.SKIPPED));
    }

    @Test
    void repeatedCommandsAndSecondBackfillsChangeNothing(@Instances(1) TestCluster cluster) {
        nightly(cluster, 1);
        Operations operations = cluster.observe();
        Command.Backfill command = new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY));
        operations.execute(new Command.Pause("settle"), ANN);
        operations.execute(new Command.Freeze(null), ANN);
        operations.execute(command, ANN.withRequestId("b-1"));
        cluster.advance(Duration.ofMinutes(5));

        assertThat(ran).as("runs while the namespace is frozen").isEmpty();
        assertThat(operations.execute(command, ANN.withRequestId("b-1"))).isInstanceOf(CommandResult.Unchanged.class);
        assertThatThrownBy(() -> operations.execute(command, ANN))
                .hasMessageContainingAll("settle", "b-1", "ann", "1 of 1 fires triggered", "stop it first");
        long version = backfill(operations).version();
        operations.execute(new Command.StopBackfill("settle"), ANN);
        assertThat(operations.execute(new Command.ResumeBackfill("settle"), ANN.expecting(version)))
                .isInstanceOf(CommandResult.Conflict.class);
        assertThatThrownBy(() -> operations.execute(command, ANN)).hasMessageContaining("1 running");
        operations.execute(new Command.Thaw(), ANN);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(ran).as("runs of a paused job").hasSize(1);
        assertThat(backfill(operations).state()).isEqualTo(State.STOPPED);
        operations.execute(new Command.Backfill("settle", DECEMBER.plus(DAY), DECEMBER.plus(DAY.multipliedBy(2))), ANN);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(operations.execute(command, ANN.withRequestId("b-1")))
                .as("a repeat after another backfill")
                .isInstanceOf(CommandResult.Unchanged.class);
        assertThat(dates()).isEqualTo(december().subList(0, 2));
    }

    @Test
    void removalEndsTheBackfill(@Instances(2) TestCluster cluster) {
        nightly(cluster, 1);
        Operations operations = cluster.observe();
        operations.execute(new Command.Freeze(null), ANN);
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        cluster.advance(Duration.ofSeconds(10));
        operations.execute(new Command.Remove("settle"), ANN);
        operations.execute(new Command.Thaw(), ANN);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(ran).isEmpty();
        assertThat(backfill(operations).state()).isEqualTo(State.REMOVED);
        assertThat(backfill(operations).triggered()).isEqualTo(1);
        assertThatThrownBy(() -> operations.execute(new Command.ResumeBackfill("settle"), ANN))
                .hasMessageContainingAll("settle", "removed", "start another");
        cluster.instances().forEach(TestCluster.Instance::close);
        operations.execute(new Command.Purge("settle"), ANN);
        cluster.join();
        cluster.advance(Duration.ofMinutes(5));
        assertThat(backfill(operations).running()).isEmpty();
        assertThat(ran).isEmpty();
        operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(dates()).isEqualTo(december().subList(0, 1));
    }

    @Test
    void damagedNodeIsReportedAndHeld(@Instances(1) TestCluster cluster) {
        nightly(cluster, 1);
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(1));
        String good = new ZkCli(cluster).text("/backfills/settle");
        new ZkCli(cluster).write("/backfills/settle", good.replace("\"parallel\":1", "\"parallel\":99"));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(cluster.leader().health().jobs().get("settle").reason(Kind.BACKFILL_FAILED))
                .hasValueSatisfying(reason -> assertThat(reason.text())
                        .contains("/backfills/settle", "parallel", "99", "1 to 16", "correct or delete"));
        assertThatThrownBy(() -> operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN))
                .hasMessageContaining("correct or delete");
        new ZkCli(cluster).write("/backfills/settle", good);
        cluster.advance(Duration.ofMinutes(2));
        assertThat(backfill(operations).state()).isEqualTo(State.ENDED);
    }

    @Tag("slow")
    @Test
    void dryRunCountsTheFiresAndTheScheduledOnesInBetween(@Instances(1) TestCluster cluster) {
        slow(cluster, cluster.instances().get(0), new Random(7));
        nightly(cluster, 1);
        Operations operations = cluster.observe();
        cluster.advance(DAY.plus(Duration.ofMinutes(118)));
        long before = cluster.tree().zxid();

        CommandResult preview = operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN.asDryRun());

        assertThat(preview.text()).contains("31 past fires", "1 scheduled fires come due", "2026-01-02T02:00:00Z");
        assertThat(cluster.tree().zxid()).isEqualTo(before);
    }

    @Test
    void tenThousandIrregularFiresFitOneNode(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("busy", 1)
                        .schedule(Schedule.cron("0 0,7,11,13,29,31,53 * ? * MON-FRI", ZoneId.of("Europe/Berlin")))
                        .build());
        Operations operations = cluster.observe();
        operations.execute(new Command.Freeze(null), ANN);
        Instant end = Instant.parse("2025-03-20T00:00:00Z");

        operations.execute(new Command.Backfill("busy", Instant.parse("2025-01-01T00:00:00Z"), end), ANN);

        BackfillDetails stored = operations.backfills().get(0);
        assertThat(stored.fires()).isGreaterThan(9_000);
        assertThat(stored.end()).isEqualTo(Instant.parse("2025-03-19T23:53:00Z"));
        assertThat(new ZkCli(cluster).text("/backfills/busy").length()).isLessThan(100_000);
    }

    /** The node of a backfill outlives its job, but no command can end a backfill whose job is gone. */
    @Test
    void failedBackfillOfAPurgedJobIsNoHealthReason(@Instances(2) TestCluster cluster) {
        nightly(cluster, 1);
        Operations operations = cluster.observe();
        december().forEach(failing::add);
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY, Map.of(), 1, 1), ANN);
        cluster.advance(Duration.ofSeconds(30));
        assertThat(cluster.leader().health().jobs().get("settle").reason(Kind.BACKFILL_FAILED))
                .isPresent();

        operations.execute(new Command.Remove("settle"), ANN);
        cluster.advance(Duration.ofSeconds(20));
        cluster.instances().forEach(instance -> instance.engine().unregister("settle"));
        cluster.advance(Duration.ofSeconds(10));
        operations.execute(new Command.Purge("settle"), ANN);
        cluster.advance(Duration.ofMinutes(5));

        assertThat(cluster.leader().health().jobs()).isEmpty();
        assertThat(backfill(operations).state()).isEqualTo(State.REMOVED);
    }
}
