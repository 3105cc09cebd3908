package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobRun;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests hosts with wrong clocks. No item may run before its time, and no item may wait for a wrong clock while another
 * instance has a correct one.
 */
class WrongClockTest {
    private static final Instant START = Instant.parse("2026-01-31T12:00:00Z");
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final int ITEMS = 4;
    private static final CommandOptions ANN =
            CommandOptions.by("ann").because("ticket 7").withRequestId("r-1");

    private final List<Run> runs = new ArrayList<>();

    private record Run(Instant fire, int item, String instance, Instant at) {}

    private void schedule(TestCluster cluster) {
        cluster.schedule(
                context -> record(cluster, context),
                JobConfiguration.newBuilder("punctual", ITEMS)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
    }

    private void record(TestCluster cluster, ShardingContext context) {
        runs.add(new Run(context.fireTime(), context.shardingItem(), context.instanceId(), cluster.now()));
    }

    private List<String> instances(Instant from) {
        return runs.stream()
                .filter(run -> !run.at.isBefore(from))
                .map(Run::instance)
                .distinct()
                .toList();
    }

    /** Asserts that exactly the given number of fires ran, each with every item once. */
    private void assertEachFireRanOnce(int fires) {
        Map<Instant, List<Integer>> items = runs.stream()
                .collect(Collectors.groupingBy(Run::fire, Collectors.mapping(Run::item, Collectors.toList())));
        assertThat(items).hasSize(fires);
        items.values().forEach(ran -> assertThat(ran).containsExactlyInAnyOrder(0, 1, 2, 3));
    }

    /** Returns the kinds of the reasons in the instance's own health. */
    private static List<Kind> reported(TestCluster.Instance instance) {
        return instance.engine().health().jobs().get("punctual").reasons().stream()
                .map(JobHealth.Reason::kind)
                .toList();
    }

    @Test
    void joiningInstanceWithAClockAheadGetsNoItemsUntilCorrected() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            schedule(cluster);
            TestCluster.Instance wrong = cluster.join(Duration.ofMinutes(5));
            String right = cluster.instances().get(0).id();
            cluster.advance(PERIOD.multipliedBy(4));
            assertThat(instances(START)).containsExactly(right);
            assertThat(reported(wrong)).contains(Kind.CLOCK_AHEAD);

            wrong.setClock(Duration.ZERO);
            Instant corrected = cluster.now();
            cluster.advance(PERIOD.multipliedBy(4));

            assertThat(instances(corrected)).containsExactlyInAnyOrder(right, wrong.id());
            assertEachFireRanOnce(8);
            assertThat(reported(wrong)).isEmpty();
            assertThat(runs).allMatch(run -> !run.at.isBefore(run.fire));
        }
    }

    /** Operators compare the times of several instances. */
    @Test
    void reasonsAreStampedWithTheServersTimeEvenByALeaderWithAWrongClock() {
        try (TestCluster cluster = new TestCluster(0, START, 1)) {
            TestCluster.Instance wrong = cluster.join(Duration.ofHours(1));
            TestCluster.Instance host = cluster.join();
            host.engine()
                    .register(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder("orphan", 1).build());
            cluster.advance(Duration.ofMinutes(2));
            host.close();
            Instant left = cluster.now();
            cluster.advance(Duration.ofMinutes(5));

            assertThat(cluster.leader()).isSameAs(wrong);
            assertThat(wrong.health().jobs().get("orphan").reasons())
                    .allSatisfy(reason -> assertThat(reason.since()).isBetween(left, left.plusSeconds(90)));
            assertThat(wrong.health().jobs().get("orphan").reason(Kind.NO_HOST)).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void clockSetForwardStartsNothingBeforeItsTime(int instances) {
        try (TestCluster cluster = new TestCluster(instances, START, 1)) {
            schedule(cluster);
            cluster.advance(PERIOD);
            TestCluster.Instance wrong = cluster.instances().get(0);
            wrong.setClock(Duration.ofHours(1));
            Instant set = cluster.now();
            cluster.advance(PERIOD.multipliedBy(4));
            assertThat(instances(set)).hasSize(instances - 1).doesNotContain(wrong.id());

            wrong.setClock(Duration.ZERO);
            Instant corrected = cluster.now();
            cluster.advance(PERIOD.multipliedBy(4));

            assertThat(instances(corrected)).hasSize(instances).contains(wrong.id());
            assertThat(runs).isNotEmpty().allMatch(run -> !run.at.isBefore(run.fire));
            if (instances > 1) {
                assertEachFireRanOnce(9);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixedDelay PT30S", "fixedRate PT30S", "cron 0/30 * * * * ?"})
    void clockThatIsAheadWhileARunEndsDoesNotStopTheItem(String schedule) {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            TestCluster.Instance host = cluster.instances().get(0);
            cluster.schedule(
                    context -> {
                        record(cluster, context);
                        host.setClock(runs.size() == 3 ? Duration.ofHours(1) : Duration.ZERO);
                    },
                    JobConfiguration.newBuilder("punctual", 1)
                            .schedule(
                                    schedule.startsWith("cron")
                                            ? Schedule.cron(schedule.substring(5), ZoneOffset.UTC)
                                            : schedule.startsWith("fixedRate")
                                                    ? Schedule.fixedRate(PERIOD)
                                                    : Schedule.fixedDelay(PERIOD))
                            .build());
            cluster.advance(PERIOD.multipliedBy(4));
            host.setClock(Duration.ZERO);
            cluster.advance(PERIOD.multipliedBy(6));

            assertThat(runs).hasSizeGreaterThanOrEqualTo(8);
        }
    }

    @Test
    void clockSetForwardDuringARunNeitherCancelsNorReportsIt() {
        List<Boolean> cancelled = new ArrayList<>();
        List<Kind> reasons = new ArrayList<>();
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            TestCluster.Instance host = cluster.instances().get(0);
            cluster.schedule(
                    context -> {
                        host.setClock(Duration.ofDays(2));
                        cluster.advance(Duration.ofMinutes(1));
                        reasons.addAll(reported(host));
                        cancelled.add(context.isCancelled());
                        host.setClock(Duration.ZERO);
                    },
                    JobConfiguration.newBuilder("punctual", 1)
                            .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                            .overlap(OverlapPolicy.cancelRunning())
                            .build());
            cluster.advance(Duration.ofHours(2).plusMinutes(5));

            assertThat(cancelled).containsExactly(false, false);
            assertThat(reasons).isNotEmpty().doesNotContain(Kind.LONG_RUNNING_ITEMS, Kind.SKIPPED_FIRES);
        }
    }

    /** The clock is ahead by less than the tolerance, so it begins fires before their time. */
    @Test
    void jobRegisteredAgainDoesNotRepeatFireThatBeganEarly() {
        try (TestCluster cluster = new TestCluster(0, START, 1)) {
            cluster.join(Duration.ofSeconds(8));
            cluster.join();
            schedule(cluster);
            cluster.advance(PERIOD);
            int before = runs.size();
            while (runs.size() == before) {
                cluster.advance(Duration.ofMillis(100));
            }
            assertThat(runs.get(before).fire).isAfter(cluster.now());
            cluster.amend("punctual", override -> override.withRemoved(true));
            cluster.amend("punctual", override -> override.withRemoved(false));
            cluster.advance(PERIOD.multipliedBy(3));

            assertThat(runs).hasSizeGreaterThan(before + 2 * ITEMS);
            assertThat(runs.stream().map(run -> run.fire + " " + run.item)).doesNotHaveDuplicates();
        }
    }

    @Test
    void triggersRunAndSchedulesWaitWhileEveryClockIsAhead() {
        try (TestCluster cluster = new TestCluster(0, START, 1)) {
            TestCluster.Instance one = cluster.join(Duration.ofMinutes(1));
            TestCluster.Instance two = cluster.join(Duration.ofHours(1));
            schedule(cluster);
            cluster.advance(PERIOD.multipliedBy(4));
            assertThat(runs).isEmpty();

            JobRun run = cluster.trigger("punctual", Map.of());
            cluster.advance(Duration.ofSeconds(5));
            assertThat(run.completion().toCompletableFuture().join())
                    .hasSize(ITEMS)
                    .containsEntry("0", ItemOutcome.SUCCEEDED);

            runs.clear();
            one.setClock(Duration.ZERO);
            two.setClock(Duration.ZERO);
            cluster.advance(PERIOD.multipliedBy(4));
            assertThat(instances(START)).containsExactlyInAnyOrder(one.id(), two.id());
            assertThat(runs).allMatch(each -> !each.at.isBefore(each.fire));
        }
    }

    @Test
    void instanceWithAClockBehindRunsEachFireOnceButLate() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            schedule(cluster);
            TestCluster.Instance late = cluster.join(Duration.ofSeconds(-20));
            cluster.advance(PERIOD.multipliedBy(4).plusSeconds(20));

            assertThat(instances(START)).contains(late.id());
            assertEachFireRanOnce(4);
            assertThat(runs)
                    .filteredOn(run -> run.instance.equals(late.id()))
                    .allMatch(run -> !run.at.isBefore(run.fire.plusSeconds(20)));
        }
    }

    @Test
    void itemRunsAgainOnceItsFutureCursorIsCorrected() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            schedule(cluster);
            cluster.advance(PERIOD);
            setCursor(cluster, START.plus(Duration.ofDays(365)));
            cluster.advance(Duration.ofMinutes(2)); // the engine reads the record within this time
            runs.clear();
            cluster.advance(PERIOD.multipliedBy(2));
            assertThat(runs).extracting(Run::item).doesNotContain(0).contains(1, 2, 3);
            assertThat(reported(cluster.instances().get(0))).containsExactly(Kind.FUTURE_ITEMS);

            setCursor(cluster, cluster.now());
            cluster.advance(Duration.ofMinutes(2));
            assertThat(runs).extracting(Run::item).contains(0);
            assertThat(reported(cluster.instances().get(0))).isEmpty();
        }
    }

    @Test
    void operatorSetsBackACursorFromTheFuture() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            schedule(cluster);
            Operations operations = cluster.observe();
            cluster.advance(PERIOD);
            Instant future = START.plus(Duration.ofDays(365));
            setCursor(cluster, future);
            cluster.advance(Duration.ofMinutes(2)); // the engine reads the record within this time
            assertThat(reported(cluster.instances().get(0))).containsExactly(Kind.FUTURE_ITEMS);
            assertThat(cluster.instances()
                            .get(0)
                            .engine()
                            .health()
                            .jobs()
                            .get("punctual")
                            .reasons())
                    .singleElement()
                    .satisfies(reason -> assertThat(reason.text()).contains("SET_BACK_CURSOR"));
            runs.clear();

            Command command = new Command.SetBackCursor("punctual", "0");
            assertThat(operations.execute(command, ANN.asDryRun()).text()).contains("item 0", future.toString());
            assertThat(operations.execute(command, ANN.expecting(1))).isInstanceOf(CommandResult.Conflict.class);
            Instant at = cluster.now();
            CommandResult result = operations.execute(command, ANN);

            assertThat(result).isInstanceOf(CommandResult.Applied.class);
            assertThat(result.text()).contains("item 0", future.toString());
            assertThat(operations.execute(command, ANN)).isInstanceOf(CommandResult.Unchanged.class);
            assertThat(new ZkCli(cluster).text("/jobs/punctual/sharding/0")).contains("\"by\":\"ann\"", "ticket 7");
            cluster.advance(PERIOD.multipliedBy(3));
            assertThat(runs)
                    .filteredOn(run -> run.item == 0)
                    .as("its owner notices the command at once")
                    .hasSize(3)
                    .allMatch(run -> run.fire.isAfter(at));
            assertThat(reported(cluster.instances().get(0))).isEmpty();
            assertThatThrownBy(() -> operations.execute(command, ANN.withRequestId("r-2")))
                    .hasMessageContaining("not in the future");
        }
    }

    @Test
    void fireThatRanAheadOfItsTimeDoesNotRunAgain() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            schedule(cluster);
            cluster.advance(PERIOD.multipliedBy(2).plusSeconds(10));
            Instant last = runs.get(runs.size() - 1).fire;
            Instant ahead = last.plus(PERIOD.multipliedBy(6));
            ZkCli hand = new ZkCli(cluster);
            String path = "/jobs/punctual/sharding/0";
            hand.write(
                    path,
                    hand.text(path)
                            .replace(last.toString(), ahead.toString())
                            .replace(Long.toString(last.toEpochMilli()), Long.toString(ahead.toEpochMilli())));
            cluster.advance(Duration.ofMinutes(1));
            runs.clear();

            CommandResult result = cluster.observe().execute(new Command.SetBackCursor("punctual", "0"), ANN);
            cluster.advance(PERIOD.multipliedBy(10));

            assertThat(result.text()).contains(ahead.toString(), "does not run again");
            assertThat(runs)
                    .filteredOn(run -> run.item == 1)
                    .extracting(Run::fire)
                    .contains(ahead);
            assertThat(runs)
                    .filteredOn(run -> run.item == 0)
                    .extracting(Run::fire)
                    .doesNotContain(ahead)
                    .contains(ahead.minus(PERIOD), ahead.plus(PERIOD))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void cursorOfAQuarantinedItemIsNotSetBack() {
        try (TestCluster cluster = new TestCluster(1, START, 1)) {
            schedule(cluster);
            cluster.advance(PERIOD);
            ZkCli hand = new ZkCli(cluster);
            String path = "/jobs/punctual/sharding/0";
            setCursor(cluster, START.plus(Duration.ofDays(365)));
            for (String state : List.of("RUNNING", "HANDED_OVER", "QUARANTINED", "RETIRED")) {
                hand.write(path, hand.text(path).replaceFirst("\"state\":\"[A-Z_]*\"", "\"state\":\"" + state + "\""));
                assertThatThrownBy(() -> cluster.observe().execute(new Command.SetBackCursor("punctual", "0"), ANN))
                        .hasMessageContainingAll("item 0", state, "not IDLE");
            }
        }
    }

    private static void setCursor(TestCluster cluster, Instant to) {
        InMemoryNodeStore store = cluster.instances().get(0).store();
        String path = "/jobs/punctual/sharding/0";
        String record = new String(cluster.tree().read(path).orElseThrow().data(), StandardCharsets.UTF_8)
                .replaceFirst("\"cursor\":\"[^\"]*\"", "\"cursor\":\"" + to + "\"");
        var written = store.commit(
                        List.of(new NodeOp.Set(path, record.getBytes(StandardCharsets.UTF_8), NodeOp.ANY_VERSION)))
                .toCompletableFuture();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(written.join()).isInstanceOf(Outcome.Committed.class);
    }
}
