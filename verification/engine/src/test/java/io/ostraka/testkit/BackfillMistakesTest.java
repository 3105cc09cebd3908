package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.OnceListener;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SimpleJob;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests backfills with damaged nodes, with mistakes of operators, and of jobs that are removed. */
@ExtendWith(OstrakaExtension.class)
class BackfillMistakesTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final Instant DECEMBER = Instant.parse("2025-12-01T00:00:00Z");
    private static final Instant JANUARY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    private final List<Instant> ran = new ArrayList<>();
    private final Set<Instant> failing = new HashSet<>();

    private void nightly(TestCluster cluster, String job) {
        cluster.schedule(
                context -> {
                    if (failing.contains(context.fireTime())) {
                        throw new IllegalStateException("as asked");
                    }
                    ran.add(context.fireTime());
                },
                JobConfiguration.newBuilder(job, 1)
                        .schedule(Schedule.cron("0 0 2 * * ?", ZoneId.of("UTC")))
                        .build());
    }

    private static BackfillDetails backfill(Operations operations, String job) {
        return operations.backfills().stream()
                .filter(b -> b.job().equals(job))
                .findFirst()
                .orElseThrow();
    }

    private static void edit(TestCluster cluster, String from, String to) {
        ZkCli hand = new ZkCli(cluster);
        String good = hand.text("/backfills/settle");
        String bad = good.replaceFirst(from, to);
        assertThat(bad).isNotEqualTo(good);
        hand.write("/backfills/settle", bad);
    }

    /** A node in the state FAILED is damaged if it names no failed date. It stops only the backfill of its own job. */
    @Test
    void failedNodeWithoutDatesDoesNotHangTheOthers(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        nightly(cluster, "other");
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(1));
        String good = new ZkCli(cluster).text("/backfills/settle");
        edit(cluster, "\"state\":\"ENDED\"", "\"state\":\"FAILED\"");
        cluster.advance(Duration.ofMinutes(3));
        assertThat(cluster.leader().health().jobs().get("settle").reason(JobHealth.Kind.BACKFILL_FAILED))
                .hasValueSatisfying(reason -> assertThat(reason.text()).contains("FAILED without failures"));
        new ZkCli(cluster).write("/backfills/settle", good);
        operations.execute(new Command.Backfill("other", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(30));
        assertThat(backfill(operations, "other").state()).isEqualTo(State.ENDED);
    }

    /** A node is damaged if its date is too far from 1970 to be expressed in milliseconds. */
    @Test
    void dateOutOfRangeIsDamage(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        nightly(cluster, "other");
        Operations operations = cluster.observe();
        operations.execute(new Command.Freeze(null), ANN);
        operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.Thaw(), ANN);
        ZkCli hand = new ZkCli(cluster);
        hand.write(
                "/backfills/settle",
                hand.text("/backfills/settle").replace("2025-12-01T02:00:00Z", "+900000000-01-01T00:00:00Z"));
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.Backfill("other", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(10));
        assertThat(backfill(operations, "other").state()).isEqualTo(State.ENDED);
    }

    /** A stopped backfill is not resumed for a job that was purged and registered again. */
    @Test
    void stoppedBackfillEndsWithTheRemoval(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        operations.execute(new Command.StopBackfill("settle"), ANN);
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.Remove("settle"), ANN);
        cluster.advance(Duration.ofMinutes(2));
        State afterRemoval = backfill(operations, "settle").state();
        cluster.instances().forEach(TestCluster.Instance::close);
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.Purge("settle"), ANN);
        cluster.join();
        cluster.advance(Duration.ofMinutes(2));
        ran.clear();
        assertThatThrownBy(() -> operations.execute(new Command.ResumeBackfill("settle"), ANN))
                .hasMessageContaining("removed");
        cluster.advance(Duration.ofMinutes(5));
        assertThat(afterRemoval).isEqualTo(State.REMOVED);
        assertThat(ran).isEmpty();
    }

    /** The start of the period may have a fraction of a millisecond. */
    @Test
    void dateBeforeFromIsNotIncluded(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        Instant from = DECEMBER.plus(Duration.ofHours(2)).plusNanos(500_000);
        operations.execute(new Command.Backfill("settle", from, JANUARY), ANN);
        assertThat(backfill(operations, "settle").first()).isAfterOrEqualTo(from);
    }

    /** With once-listeners, the next date is triggered without waiting for the periodic read. */
    @Test
    void onceListenersDoNotSlowTheBackfill(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                (SimpleJob) context -> ran.add(context.fireTime()),
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.cron("0 0 2 * * ?", ZoneId.of("UTC")))
                        .build(),
                JobOptions.none().listeners(new OnceListener() {}));
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        cluster.advance(Duration.ofMinutes(3));
        assertThat(backfill(operations, "settle").state()).isEqualTo(State.ENDED);
    }

    /** A trigger that names no job may belong to any run. */
    @Test
    void unreadableTriggerDoesNotHangBackfillsSilently(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        new ZkCli(cluster).write("/triggers/t-9999999999", "{\"format\":9}");
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        cluster.advance(Duration.ofMinutes(30));
        assertThat(backfill(operations, "settle").state()).isEqualTo(State.ENDED);
    }

    /** A failed backfill is not finished. Another operator may want to resume it. */
    @Test
    void failedBackfillIsNotReplacedUnseen(@Instances(1) TestCluster cluster) {
        failing.add(DECEMBER.plus(Duration.ofHours(2)).plus(DAY));
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(backfill(operations, "settle").state()).isEqualTo(State.FAILED);
        Command other = new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY));
        assertThatThrownBy(() -> operations.execute(other, CommandOptions.by("bob")))
                .hasMessageContaining("ann");
    }

    /** A run time in a record may be too large to multiply. */
    @Test
    void hugeRunTimeDoesNotBreakTheDryRun(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(5));
        ZkCli hand = new ZkCli(cluster);
        String record = hand.text("/jobs/settle/sharding/0");
        String bad = record.replaceFirst("\"runTime\":\"[^\"]*\"", "\"runTime\":\"PT2562047788015215H\"");
        assertThat(bad).isNotEqualTo(record);
        hand.write("/jobs/settle/sharding/0", bad);
        assertThat(operations
                        .execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN.asDryRun())
                        .text())
                .contains("unknown");
    }

    /** The sum of the counts of two series may be larger than an int. */
    @Test
    void hugeSeriesCountIsRefusedByItsLimit(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(1));
        edit(
                cluster,
                "\"count\":1\\}",
                "\"count\":1},{\"from\":\"2025-12-02T02:00:00Z\",\"every\":\"PT876000000H\",\"count\":2147483647}");
        cluster.advance(Duration.ofMinutes(2));
        String text = cluster.leader()
                .health()
                .jobs()
                .get("settle")
                .reason(JobHealth.Kind.BACKFILL_FAILED)
                .orElseThrow()
                .text();
        assertThat(text).contains("10000 in all");
    }

    /** The refusal of a null argument names the argument. */
    @Test
    void nullsAreRefusedByName(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        assertThatThrownBy(() -> cluster.observe().execute(new Command.Backfill("settle", null, JANUARY), ANN))
                .hasMessageContaining("from");
    }

    /** A repeated command reports that nothing changes, even if a new command would be refused. */
    @Test
    void repeatAfterRemovalIsUnchanged(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        Command command = new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY));
        operations.execute(command, ANN.withRequestId("b-1"));
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.SetOverride("settle", Map.of("schedule", Schedule.fixedDelay(DAY)), null), ANN);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(operations.execute(command, ANN.withRequestId("b-1"))).isInstanceOf(CommandResult.Unchanged.class);
    }

    /** A node is damaged if its count exceeds the number of failed fires that it lists. */
    @Test
    void countOfFailuresAtItsLimitDoesNotFloodTheLog(@Instances(1) TestCluster cluster) {
        failing.add(DECEMBER.plus(Duration.ofHours(2)));
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        operations.execute(new Command.Freeze(null), ANN);
        operations.execute(new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(1));
        edit(
                cluster,
                "\"failures\":0,\"failedDates\":\\[\\]",
                "\"failures\":10000,\"failedDates\":[\"2025-12-01T02:00:00Z\"]");
        operations.execute(new Command.Thaw(), ANN);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(cluster.leader().health().jobs().get("settle").reason(JobHealth.Kind.BACKFILL_FAILED))
                .hasValueSatisfying(reason -> assertThat(reason.text()).contains("failures", "10000", "0 to 0"));
    }

    /** Loses the reply to the command. */
    @Test
    void lostReplyIsUnknownAndTheRepeatUnchanged(@Instances(2) TestCluster cluster) {
        nightly(cluster, "settle");
        cluster.advance(Duration.ofMinutes(1));
        TestCluster.Instance follower = cluster.instances().stream()
                .filter(i -> i != cluster.leader())
                .findFirst()
                .orElseThrow();
        Command command = new Command.Backfill("settle", DECEMBER, DECEMBER.plus(DAY.multipliedBy(3)));
        follower.store().loseNextReply();
        CommandResult first = follower.operations().execute(command, ANN.withRequestId("b-1"));
        follower.store().reconnect();
        cluster.advance(Duration.ofMinutes(5));
        CommandResult second = follower.operations().execute(command, ANN.withRequestId("b-1"));
        cluster.advance(Duration.ofMinutes(5));
        assertThat(first).isInstanceOf(CommandResult.Unknown.class);
        assertThat(second).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(ran).hasSize(3);
    }

    /** Fires that an operator has skipped do not come due. */
    @Test
    void dryRunDoesNotCountSkippedFires(@Instances(1) TestCluster cluster) {
        cluster.instances()
                .get(0)
                .setThreads(
                        threads -> task -> cluster.time().after(Duration.ofSeconds(90), () -> threads.execute(task)));
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.cron("0 */5 * * * ?", ZoneId.of("UTC")))
                        .build());
        Operations operations = cluster.observe();
        cluster.advance(Duration.ofHours(1));
        operations.execute(new Command.SkipFires("settle", cluster.now().plus(DAY)), ANN);
        cluster.advance(Duration.ofMinutes(1));
        String text = operations
                .execute(
                        new Command.Backfill("settle", cluster.now().minus(Duration.ofHours(1)), cluster.now()),
                        ANN.asDryRun())
                .text();
        assertThat(text).doesNotContain("3 scheduled fires", "4 scheduled fires");
    }

    /** The trigger of a backfill waits in a frozen namespace when the job is removed. */
    @Test
    void removalUnderAFreezeEndsTheBackfill(@Instances(1) TestCluster cluster) {
        nightly(cluster, "settle");
        Operations operations = cluster.observe();
        operations.execute(new Command.Freeze(null), ANN);
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY, Map.of(), 2, 100), ANN);
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.Remove("settle"), ANN);
        cluster.advance(Duration.ofMinutes(3));
        assertThat(backfill(operations, "settle").state()).isEqualTo(State.REMOVED);
        assertThat(ran).isEmpty();
        assertThat(backfill(operations, "settle").succeeded())
                .as("fires that never ran")
                .isZero();
    }

    /** A BROADCAST job without eligible instances has no items. */
    @Test
    void fireWithoutItemsDoesNotSucceed(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> ran.add(context.fireTime()),
                JobConfiguration.newBuilder("settle", 1)
                        .scope(Scope.BROADCAST)
                        .schedule(Schedule.cron("0 0 2 * * ?", ZoneId.of("UTC")))
                        .build());
        Operations operations = cluster.observe();
        cluster.advance(Duration.ofMinutes(1));
        cluster.instances().forEach(i -> operations.execute(new Command.DisableInstance("settle", i.id()), ANN));
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.Backfill("settle", DECEMBER, JANUARY), ANN);
        cluster.advance(Duration.ofMinutes(10));
        assertThat(ran).isEmpty();
        assertThat(backfill(operations, "settle").succeeded()).isZero();
    }
}
