package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRun;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.tree.NodeOp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A person deletes an item's record, or damages a node, while the instance that knows its content is out of date. */
class LostRecordTest {
    private static final String RECORD = "/jobs/job/sharding/0";
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final TestCluster cluster = new TestCluster(3, Instant.parse("2026-03-01T00:00:00Z"), 1);
    private final ZkCli zkCli = new ZkCli(cluster);
    private final Map<String, Integer> succeeded = new TreeMap<>();
    private final List<String> runs = new ArrayList<>();
    private Runnable inMidRun = () -> {};
    private int held;
    private Operations operations;

    private void schedule(boolean periodically) {
        schedule(periodically, 1);
    }

    private void schedule(boolean periodically, int items) {
        schedule(periodically ? Schedule.fixedRate(PERIOD) : Schedule.onDemand(), items, OverlapPolicy.coalesce());
    }

    private void schedule(Schedule schedule, int items, OverlapPolicy overlap) {
        cluster.subscribe((EventSubscriber) event -> {
            if (event instanceof RunEnded end && end.outcome() == ItemOutcome.SUCCEEDED) {
                succeeded.merge(end.claim().runId(), 1, Integer::sum);
            }
        });
        cluster.schedule(
                this::run,
                JobConfiguration.newBuilder("job", items)
                        .schedule(schedule)
                        .misfire(MisfirePolicy.fireAll(100))
                        .overlap(overlap)
                        .build());
        cluster.advance(Duration.ofMinutes(1));
        operations = cluster.observe();
    }

    private void run(ShardingContext context) {
        runs.add(context.runId());
        if (context.shardingItem() == held) {
            Runnable now = inMidRun;
            inMidRun = () -> {};
            now.run();
        }
    }

    private void execute(Command command) {
        operations.execute(command, CommandOptions.by("ann"));
    }

    /** Moves the item to an instance, or away from it. */
    private void runsOn(TestCluster.Instance instance, boolean there) {
        String name = JobInstance.name(instance.id());
        execute(there ? new Command.EnableInstance("job", name) : new Command.DisableInstance("job", name));
        cluster.instances().stream().filter(other -> other != instance).forEach(other -> {
            String otherName = JobInstance.name(other.id());
            execute(
                    there
                            ? new Command.DisableInstance("job", otherName)
                            : new Command.EnableInstance("job", otherName));
        });
    }

    private TestCluster.Instance notTheLeader() {
        String leader = cluster.leader().id();
        return cluster.instances().stream()
                .filter(instance -> !instance.id().equals(leader))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void stalledOwnerDoesNotRestoreTheRecordThatItKnew() {
        schedule(true);
        TestCluster.Instance stalled = notTheLeader();
        runsOn(stalled, true);
        cluster.advance(Duration.ofSeconds(35));
        stalled.setWedged(true);
        runsOn(stalled, false);
        cluster.advance(Duration.ofSeconds(45));
        runsOn(stalled, true);
        cluster.advance(Duration.ofSeconds(5));
        zkCli.delete(RECORD);
        stalled.setWedged(false);
        cluster.advance(Duration.ofMillis(1_500));

        assertThat(stalled.engine().health().jobs().get("job").reason(JobHealth.Kind.UNREADABLE_ITEMS))
                .hasValueSatisfying(reason -> assertThat(reason.text())
                        .contains("the record of item 0 was lost")
                        .contains("count as decided")
                        .contains("run it with a trigger or a backfill"));
        int before = runs.size();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(succeeded)
                .allSatisfy((run, times) -> assertThat(times).as(run).isEqualTo(1));
        assertThat(runs).hasSizeGreaterThan(before + 10);
        assertThat(cluster.instances()).allMatch(instance -> instance.engine()
                .health()
                .jobs()
                .get("job")
                .reason(JobHealth.Kind.UNREADABLE_ITEMS)
                .isEmpty());
        cluster.close();
    }

    @Test
    void ownerThatSawEveryPlanRestoresTheRecordOfItsRun() {
        schedule(false);
        inMidRun = () -> {
            execute(new Command.Pause("job"));
            cluster.advance(Duration.ofSeconds(1));
            execute(new Command.Resume("job"));
            cluster.advance(Duration.ofSeconds(1));
            zkCli.delete(RECORD);
            cluster.advance(Duration.ofSeconds(1));
        };
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofMinutes(4));

        assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED));
        assertThat(runs).containsExactly(run.runId());
        assertThat(cluster.instances())
                .map(instance -> instance.engine().health())
                .allMatch(Health::good);
        cluster.close();
    }

    /**
     * The owner has completed its run, but does not know this, because the reply was lost. If it restored the record
     * that it knew, and then died, another instance would take over the ended fire.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ownerInDoubtAboutItsOwnWriteDoesNotRestoreTheRecord(boolean periodically) {
        schedule(periodically);
        TestCluster.Instance owner = notTheLeader();
        runsOn(owner, true);
        cluster.advance(Duration.ofSeconds(5));
        inMidRun = owner.store()::holdReplies;
        JobRun run = periodically ? null : cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofSeconds(11));
        assertThat(zkCli.text(RECORD)).contains("SUCCEEDED");
        zkCli.delete(RECORD);
        cluster.tree()
                .refuse(operation ->
                        operation instanceof NodeOp.Set && operation.path().equals(RECORD));
        owner.store().reconnect();
        owner.store().releaseReplies();
        cluster.advance(Duration.ofSeconds(2));
        owner.kill();
        cluster.tree().refuse(operation -> false);
        runsOn(owner, false);
        cluster.advance(Duration.ofMinutes(3));

        assertThat(runs).isNotEmpty().doesNotHaveDuplicates();
        if (run != null) {
            assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED));
        }
        cluster.close();
    }

    /** One transaction has completed the run and claimed the next fire, so the running node is that of the next fire. */
    @Test
    void runningNodeOfAnUnknownClaimDoesNotProveThatTheRunWasNotCompleted() {
        schedule(Schedule.fixedRate(PERIOD), 1, OverlapPolicy.queue(1));
        TestCluster.Instance owner = notTheLeader();
        runsOn(owner, true);
        cluster.advance(Duration.ofSeconds(5));
        int before = runs.size();
        inMidRun = () -> {
            cluster.advance(PERIOD.plusSeconds(2)); // the next fire waits for the end of this run
            owner.store().holdReplies();
        };
        cluster.advance(Duration.ofSeconds(20));
        assertThat(runs).hasSize(before + 1);
        assertThat(zkCli.text(RECORD)).contains("RUNNING", "\"outcome\":\"SUCCEEDED\"");
        zkCli.write(RECORD, "garbage");
        owner.store().reconnect();
        owner.store().releaseReplies();
        cluster.advance(Duration.ofSeconds(1));

        assertThat(zkCli.text(RECORD)).contains("the record was lost");
        cluster.advance(Duration.ofMinutes(2));
        assertThat(runs).hasSizeGreaterThan(before + 5).doesNotHaveDuplicates();
        assertThat(succeeded.values()).containsOnly(1);
        cluster.close();
    }

    /** A clock may be ahead by as much as the engine tolerates, so a fire may have run before its time. */
    @Test
    void newRecordDoesNotRepeatAFireThatAFastClockBegan() {
        schedule(true);
        TestCluster.Instance fast = cluster.join(Duration.ofSeconds(8));
        cluster.advance(Duration.ofSeconds(5));
        runsOn(fast, true);
        cluster.advance(Duration.ofSeconds(30));
        int before = runs.size();
        while (runs.size() == before) {
            cluster.advance(Duration.ofMillis(100));
        }
        cluster.advance(Duration.ofMillis(100));
        fast.setWedged(true);
        zkCli.delete(RECORD);
        runsOn(fast, false);
        cluster.advance(Duration.ofMinutes(2));

        assertThat(runs).hasSizeGreaterThan(before + 5).doesNotHaveDuplicates();
        cluster.close();
    }

    /** A clock was wrong, so the item may have run all fires up to the cursor. */
    @Test
    void newRecordKeepsACursorInTheFuture() {
        schedule(true);
        TestCluster.Instance stalled = notTheLeader();
        runsOn(stalled, true);
        cluster.advance(Duration.ofSeconds(35));
        String ahead = cluster.now()
                .plus(Duration.ofHours(1))
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        zkCli.write(RECORD, zkCli.text(RECORD).replaceFirst("\"cursor\":\"[^\"]+", "\"cursor\":\"" + ahead));
        cluster.advance(Duration.ofSeconds(5));
        stalled.setWedged(true);
        runsOn(stalled, false);
        cluster.advance(Duration.ofSeconds(45));
        runsOn(stalled, true);
        cluster.advance(Duration.ofSeconds(5));
        zkCli.delete(RECORD);
        stalled.setWedged(false);
        cluster.advance(Duration.ofMinutes(2));

        assertThat(zkCli.text(RECORD)).contains("the record was lost", "\"cursor\":\"" + ahead);
        cluster.close();
    }

    @Test
    void triggeredFireThatHadBegunDoesNotRunAgainAfterTheLoss() {
        schedule(false);
        TestCluster.Instance owner = notTheLeader();
        runsOn(owner, true);
        cluster.advance(Duration.ofSeconds(5));
        inMidRun = () -> {
            runsOn(owner, false); // another instance owns the item, and waits for the end of the run
            cluster.advance(Duration.ofSeconds(5));
            zkCli.delete(RECORD);
            cluster.advance(Duration.ofMinutes(3));
        };
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofMinutes(4));

        assertThat(runs).containsExactly(run.runId());
        assertThat(run.completion().toCompletableFuture()).isCompletedWithValue(Map.of("0", ItemOutcome.SKIPPED));
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {RECORD, "/jobs/job/sharding"})
    void changeOfTheItemCountWaitsForTheRunWhoseRecordWasDeleted(String path) {
        schedule(true);
        List<Integer> during = new ArrayList<>();
        inMidRun = () -> {
            cluster.amend("job", override -> override.withShardingTotalCount(2));
            cluster.advance(Duration.ofSeconds(1));
            zkCli.delete(path);
            int before = runs.size();
            cluster.advance(Duration.ofMinutes(3));
            during.add(runs.size() - before);
        };
        cluster.advance(Duration.ofMinutes(5));

        assertThat(during).containsExactly(0);
        assertThat(zkCli.children("/jobs/job/sharding")).containsExactly("0", "1");
        int before = runs.size();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).hasSizeGreaterThan(before + 10);
        cluster.close();
    }

    @Test
    void newOwnerOfALostRecordReadsWhichTriggersTheItemHasEnded() {
        schedule(false, 2);
        Map<String, String> owners = new TreeMap<>();
        operations.items("job", List.of()).forEach(item -> owners.put(item.item(), String.valueOf(item.owner())));
        assertThat(owners.get("0")).isNotEqualTo(owners.get("1"));
        TestCluster.Instance other = cluster.instances().stream()
                .filter(instance -> !owners.containsValue(instance.id()))
                .findFirst()
                .orElseThrow();
        execute(new Command.DisableInstance("job", JobInstance.name(other.id())));
        cluster.advance(Duration.ofSeconds(5));
        held = 1;
        inMidRun = () -> {
            cluster.advance(Duration.ofSeconds(2)); // item 0 ends
            TestCluster.Instance first = cluster.instances().stream()
                    .filter(instance -> instance.id().equals(owners.get("0")))
                    .findFirst()
                    .orElseThrow();
            first.setWedged(true);
            zkCli.delete(RECORD);
            first.kill();
            cluster.advance(Duration.ofMinutes(3));
        };
        JobRun run = cluster.trigger("job", Map.of());
        cluster.advance(Duration.ofMinutes(4));

        assertThat(runs).as("runs of the two items").hasSize(2);
        assertThat(run.completion().toCompletableFuture())
                .isCompletedWithValue(Map.of("0", ItemOutcome.SUCCEEDED, "1", ItemOutcome.SUCCEEDED));
        cluster.close();
    }

    @Test
    void overrideThatNoInstanceHasReadIsNotUndone() {
        schedule(true);
        execute(new Command.Pause("job"));
        execute(new Command.Resume("job"));
        cluster.advance(Duration.ofSeconds(5));
        zkCli.write("/jobs/job/override", "{\"format\":4,\"paused\":true}");
        zkCli.write("/jobs/job/override", "garbage");
        cluster.advance(Duration.ofMinutes(3));

        assertThat(zkCli.text("/jobs/job/override")).isEqualTo("garbage");
        assertThat(cluster.leader().health().jobs().get("job").reason(JobHealth.Kind.UNREADABLE))
                .isPresent();
        cluster.close();
    }

    @Test
    void ordersThatTheLeaderHasNotReadAreNotUndone() {
        schedule(true);
        execute(new Command.Freeze(null));
        execute(new Command.Thaw());
        cluster.advance(Duration.ofSeconds(5));
        String thawed = zkCli.text("/orders");
        zkCli.write("/orders", thawed);
        zkCli.write("/orders", "garbage");
        cluster.advance(Duration.ofMinutes(3));

        assertThat(zkCli.text("/orders")).isEqualTo("garbage");
        assertThat(cluster.leader().health().problem()).contains("/orders");
        cluster.close();
    }
}
