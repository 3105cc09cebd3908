package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.RunDetails;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands of an operator, which an observer executes. */
@ExtendWith(OstrakaExtension.class)
class OperationsCommandsTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");

    private final List<Instant> fires = new ArrayList<>();

    private void hourly(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    fires.add(context.fireTime());
                    if (context.jobParameter().equals("fail") && context.shardingItem() == 1) {
                        throw new IllegalStateException("as asked");
                    }
                },
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .build());
    }

    private static JobState state(Operations operations) {
        return operations.job("settle").summary().state();
    }

    @Test
    void pauseEndsByItselfAndSaysWhoAndWhy(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant until = cluster.now().plus(Duration.ofHours(2)).plusSeconds(600);

        operations.execute(new Command.Pause("settle", until), ANN);

        assertThat(operations.job("settle").summary().stateText()).contains("ann", "ticket 7", until.toString());
        cluster.advance(Duration.ofHours(2));
        assertThat(fires).isEmpty();
        cluster.advance(Duration.ofHours(2));
        assertThat(state(operations)).isEqualTo(JobState.ACTIVE);
        assertThat(fires).isNotEmpty();
        assertThat(operations.job("settle").field("paused"))
                .hasValueSatisfying(field -> assertThat(field.overridden()).isFalse());
    }

    @Test
    void overrideOfAnyFieldTakesEffectAndIsShownBesideTheDefinition(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();

        CommandResult result = operations.execute(
                new Command.SetOverride("settle", Map.of("timeout", Duration.ofMinutes(5), "jobParameter", "x"), null),
                ANN);

        assertThat(result).isInstanceOf(CommandResult.Applied.class);
        assertThat(operations.job("settle").field("timeout")).hasValueSatisfying(field -> {
            assertThat(field.effective()).isEqualTo(Duration.ofMinutes(5));
            assertThat(Objects.requireNonNull(field.change()).by()).isEqualTo("ann");
            assertThat(field.change().reason()).isEqualTo("ticket 7");
        });
        operations.execute(new Command.RemoveOverride("settle", Set.of()), ANN);
        assertThat(operations.job("settle").fields()).noneMatch(field -> field.overridden());
    }

    @Test
    void commandForAnOlderVersionChangesNothing(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        long seen = operations.job("settle").version();
        operations.execute(new Command.SetOverride("settle", "jobParameter", "first"), ANN.expecting(seen));

        CommandResult lost =
                operations.execute(new Command.SetOverride("settle", "jobParameter", "second"), ANN.expecting(seen));

        assertThat(lost).isInstanceOf(CommandResult.Conflict.class);
        assertThat(lost.text()).contains("jobParameter", "ann", "ticket 7");
        assertThat(operations.job("settle").field("jobParameter").orElseThrow().effective())
                .isEqualTo("first");
    }

    @Test
    void repeatedCommandChangesNothing(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        CommandOptions once = ANN.withRequestId("r-1");
        operations.execute(new Command.Pause("settle"), once);
        operations.execute(new Command.Resume("settle"), ANN);

        CommandResult again = operations.execute(new Command.Pause("settle"), once);
        CommandResult triggered = operations.execute(new Command.Trigger("settle"), ANN.withRequestId("run-1"));
        cluster.advance(Duration.ofSeconds(10));
        operations.execute(new Command.Trigger("settle"), ANN.withRequestId("run-1"));
        cluster.advance(Duration.ofSeconds(10));

        assertThat(again).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(state(operations)).isEqualTo(JobState.ACTIVE);
        assertThat(triggered).isInstanceOf(CommandResult.Applied.class);
        assertThat(fires).as("one fire of two items").hasSize(2);
    }

    @Test
    void dryRunsPredictAndChangeNothing(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        String second = cluster.instances().get(1).id();
        long before = cluster.tree().zxid();
        Map<Command, String> expected = Map.of(
                new Command.DisableInstance("settle", second), "items of job 'settle' move from host-1 to host-0: ",
                new Command.DrainInstance(second, null), "items of job 'settle' move from host-1 to host-0: ",
                new Command.SetOverride("settle", "shardingTotalCount", 4), "the item count changes from 2 to 4",
                new Command.Pause("settle"), "paused job 'settle'",
                new Command.Freeze(null), "froze the namespace",
                new Command.EvictInstance(second), "items of job 'settle' move from host-1 to host-0: ",
                new Command.Trigger("settle"), "all items");

        expected.forEach((command, effect) -> {
            CommandResult result = operations.execute(command, ANN.asDryRun());
            assertThat(result).isInstanceOf(CommandResult.Preview.class);
            assertThat(result.text()).contains(effect);
        });

        assertThat(cluster.tree().zxid()).as("the latest transaction").isEqualTo(before);
        operations.execute(new Command.Pause("settle"), ANN);
        Instant end = cluster.now().plus(Duration.ofHours(1));
        assertThat(operations
                        .execute(new Command.Pause("settle"), ANN.asDryRun())
                        .text())
                .contains("already is as requested");
        assertThat(operations
                        .execute(new Command.Pause("settle", end), ANN.asDryRun())
                        .text())
                .as("a paused job gets an end")
                .contains("paused job 'settle'");
    }

    @Test
    void dryRunsTellEffectsAloneAndNameInstancesShortly(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.DisableItem("settle", "1"), ANN);

        assertThat(preview(operations, new Command.Pause("settle"))).containsExactly("paused job 'settle'");
        assertThat(preview(operations, new Command.Remove("settle")))
                .containsExactly(
                        "removed job 'settle'",
                        "a new registration brings the job back, for example a restart of an instance with its code");
        assertThat(preview(operations, new Command.DrainInstance("host-0", null)))
                .first()
                .isEqualTo("'host-0' is drained");
        assertThat(preview(operations, new Command.DrainInstance("host-0", null)))
                .contains(
                        "runs that have begun go on; a run that does not end keeps its item here",
                        "the drain goes by a name, so a restarted process is still drained");
        assertThat(preview(
                        operations,
                        new Command.DrainInstance(cluster.instances().get(0).id(), null)))
                .contains("the drain goes by an id, so the process is not drained after a restart");
        assertThat(preview(operations, new Command.Trigger("settle")))
                .containsExactly(
                        "triggered job 'settle': all items",
                        "item 1 will skip the run, because an operator has disabled the item");
    }

    @Test
    void dryRunOfATriggerNamesQuarantinedItems(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("no such account");
                },
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .maxAttempts(1)
                        .quarantineAfter(1)
                        .build());
        cluster.advance(Duration.ofMinutes(3));

        assertThat(preview(cluster.observe(), new Command.Trigger("settle")))
                .containsExactly(
                        "triggered job 'settle': all items",
                        "item 0 will skip the run, because of a quarantine; mend the cause, and then release the item");
    }

    private static List<String> preview(Operations operations, Command command) {
        return ((CommandResult.Preview) operations.execute(command, ANN.asDryRun())).effects();
    }

    @Tag("slow")
    @Test
    void frozenNamespaceStartsNothingUntilItsEnd(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant until = cluster.now().plus(Duration.ofHours(2)).plusSeconds(600);

        operations.execute(new Command.Freeze(until), ANN);
        cluster.schedule(
                context -> fires.add(context.fireTime()),
                JobConfiguration.newBuilder("registered-later", 1)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .build());
        cluster.advance(Duration.ofHours(2));

        assertThat(fires).isEmpty();
        assertThat(operations.namespace().frozen()).isNotNull();
        assertThat(operations.jobs()).allSatisfy(job -> assertThat(job.health())
                .extracting(reported -> reported.reason().kind())
                .contains(JobHealth.Kind.FROZEN));
        cluster.advance(Duration.ofHours(2));
        assertThat(fires).isNotEmpty();
        assertThat(operations.namespace().frozen()).isNull();
    }

    @Test
    void drainedInstanceLosesItsItemsAndGetsThemBack(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        String second = cluster.instances().get(1).id();

        operations.execute(new Command.DrainInstance(second, null), ANN);
        cluster.advance(Duration.ofSeconds(30));
        assertThat(operations.job("settle").summary().owners()).doesNotContainKey(second);
        assertThat(operations.namespace().drained()).containsOnlyKeys(second);

        operations.execute(new Command.UndrainInstance(second), ANN);
        cluster.advance(Duration.ofSeconds(30));
        assertThat(operations.job("settle").summary().owners()).containsEntry(second, 1);
    }

    @Test
    void failedItemsRunAgainWithTheirFireTime(@Instances(2) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.SetOverride("settle", "jobParameter", "fail"), ANN);
        cluster.advance(Duration.ofHours(1));
        ItemDetails failed = operations.items("settle", Set.of("1")).get(0);
        assertThat(failed.run().outcome()).isEqualTo(ItemOutcome.FAILED);
        operations.execute(new Command.RemoveOverride("settle", Set.of("jobParameter")), ANN);
        fires.clear();

        CommandResult result = operations.execute(
                new Command.RerunItems("settle", failed.run().runId(), Set.of()), ANN.withRequestId("again"));
        cluster.advance(Duration.ofSeconds(30));

        assertThat(result.text()).contains("item 1 of");
        assertThat(fires).containsExactly(failed.run().fire());
        RunDetails run = operations.run("settle", "again").orElseThrow();
        assertThat(run.outcomes()).isEqualTo(Map.of("1", ItemOutcome.SUCCEEDED));
    }

    /**
     * The time limit of a trigger refers to the server's clock. An observer may not know this clock before its first
     * write.
     */
    @ParameterizedTest
    @ValueSource(longs = {-7_200, 7_200})
    void commandOfAnObserverWithAWrongClockTakesEffect(long secondsAhead, @Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe(Duration.ofSeconds(secondsAhead));

        operations.execute(new Command.Trigger("settle"), ANN.withRequestId("now"));
        cluster.advance(Duration.ofSeconds(30));
        assertThat(operations.run("settle", "now").orElseThrow().outcomes())
                .isEqualTo(Map.of("0", ItemOutcome.SUCCEEDED, "1", ItemOutcome.SUCCEEDED));

        Operations other = cluster.observe(Duration.ofSeconds(secondsAhead));
        Instant until = cluster.now().plus(Duration.ofMinutes(10));
        assertThat(other.execute(new Command.Freeze(until), ANN)).isInstanceOf(CommandResult.Applied.class);
        assertThat(other.namespace().frozen().at()).isBetween(cluster.now().minusSeconds(5), cluster.now());
    }

    @Test
    void delayedTriggerIsTakenBack(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(
                new Command.Trigger("settle", Set.of(), Map.of(), Duration.ofMinutes(30)),
                ANN.withRequestId("tonight"));

        assertThat(operations.execute(new Command.CancelTrigger("settle", "tonight"), ANN))
                .isInstanceOf(CommandResult.Applied.class);
        assertThat(operations.execute(new Command.CancelTrigger("settle", "tonight"), ANN))
                .isInstanceOf(CommandResult.Unchanged.class);
        cluster.advance(Duration.ofMinutes(45));
        assertThat(fires).isEmpty();
    }

    @Test
    void stopEndsTheRunningFireOnEveryOwner(@Instances(2) TestCluster cluster) {
        List<Boolean> cancelled = new ArrayList<>();
        cluster.schedule(
                context -> {
                    while (!context.isCancelled()) {
                        cluster.advance(Duration.ofSeconds(1));
                    }
                    cancelled.add(true);
                },
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .build());
        Operations operations = cluster.observe();
        Instant stop = Instant.parse("2026-01-01T01:00:20Z");
        cluster.time().after(Duration.between(cluster.now(), stop), () -> {
            String run = operations.items("settle", Set.of("0")).get(0).run().runId();
            operations.execute(new Command.StopFire("settle", null, run), ANN);
        });

        cluster.advance(Duration.ofMinutes(62));

        assertThat(cancelled).hasSize(2);
        assertThat(operations.items("settle", Set.of()))
                .allSatisfy(item -> assertThat(item.run().outcome()).isEqualTo(ItemOutcome.CANCELLED));
    }

    @Test
    void exportedSettingsAreRestoredBeforeTheFirstInstanceStarts(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.Pause("settle"), ANN);
        operations.execute(new Command.SetOverride("settle", "timeout", Duration.ofMinutes(5)), ANN);
        operations.execute(new Command.DisableItem("settle", "1"), ANN);
        operations.execute(new Command.Freeze(null), ANN);
        String document = operations.export();
        assertThat(operations.diff(document)).isEmpty();

        try (TestCluster empty = new TestCluster(0, cluster.now(), 0)) {
            Operations restored = empty.observe();
            assertThat(restored.diff(document)).hasSize(2).anySatisfy(text -> assertThat(text)
                    .contains("settle", "paused is true in the document and not set in the namespace"));
            assertThat(restored.execute(new Command.Apply(document), ANN)).isInstanceOf(CommandResult.Applied.class);
            assertThat(restored.execute(new Command.Apply(document), ANN)).isInstanceOf(CommandResult.Unchanged.class);
            assertThat(restored.diff(document)).isEmpty();

            empty.join();
            hourly(empty);
            restored.execute(new Command.Thaw(), ANN);
            empty.advance(Duration.ofHours(3));
            assertThat(fires).as("the job is still paused").isEmpty();
            restored.execute(new Command.Resume("settle"), ANN);
            empty.advance(Duration.ofHours(1));
            assertThat(fires).as("item 1 is still disabled").isNotEmpty().doesNotHaveDuplicates();
        }
    }

    /** An operator restores settings while the namespace is frozen, because the ensemble was lost. */
    @Test
    void restoredSettingsDoNotEndAFreeze(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.Freeze(null), ANN);
        operations.execute(new Command.Thaw(), ANN);
        operations.execute(new Command.Pause("settle"), ANN);
        String document = operations.export();
        assertThat(document).contains("orders").doesNotContain("frozen");
        operations.execute(new Command.Resume("settle"), ANN);
        operations.execute(new Command.Freeze(null), ANN);

        CommandResult.Preview preview =
                (CommandResult.Preview) operations.execute(new Command.Apply(document), ANN.asDryRun());
        operations.execute(new Command.Apply(document), ANN);

        assertThat(preview.effects())
                .singleElement()
                .asString()
                .contains("paused")
                .doesNotContain("frozen");
        assertThat(operations.namespace().frozen()).isNotNull();
        assertThat(operations.diff(document)).singleElement().asString().contains("frozen is not set in the document");
    }

    @Test
    void ofTwoFreezesTheOneThatEndsLaterIsRestored(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        Instant soon = cluster.now().plus(Duration.ofHours(1));
        operations.execute(new Command.Freeze(soon), ANN);
        String shorter = operations.export();
        Instant later = soon.plus(Duration.ofHours(1));
        operations.execute(new Command.Freeze(later), ANN);
        String longer = operations.export();

        operations.execute(new Command.Apply(shorter), ANN);
        assertThat(operations.namespace().frozen().until()).isEqualTo(later);

        operations.execute(new Command.Freeze(soon), ANN);
        operations.execute(new Command.Apply(longer), ANN);
        assertThat(operations.namespace().frozen().until()).isEqualTo(later);
    }

    /** Executes each command once with an invalid value. The message must name this value and the accepted values. */
    @Test
    void everyCommandIsRefusedByNameAndChangesNothing(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        cluster.schedule(context -> {}, JobConfiguration.newBuilder("asked", 1).build());
        Operations operations = cluster.observe();
        String instance = cluster.instances().get(0).id();
        Instant past = cluster.now().minusSeconds(1);
        Map<Command, List<String>> refused =
                new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        refused.put(new Command.Pause("setle"), List.of("setle", "not known"));
        refused.put(new Command.Pause("settle", past), List.of("settle", "paused", past.toString(), "after now"));
        refused.put(new Command.Resume("setle"), List.of("setle", "not known"));
        refused.put(new Command.Resume("setle", false), List.of("setle", "not registered"));
        refused.put(new Command.SkipFires("setle", past), List.of("setle", "not known"));
        refused.put(
                new Command.SkipFires("settle", past.plus(Duration.ofDays(367))),
                List.of("settle", "skipTo", "366 days after now"));
        refused.put(new Command.SkipFires("settle", Instant.MIN), List.of("settle", "skipTo", "from 1970"));
        refused.put(new Command.SetBackCursor("settle", "2"), List.of("settle", "2", "0, 1"));
        refused.put(new Command.SetBackCursor("settle", "0"), List.of("settle", "item 0", "not in the future"));
        refused.put(new Command.SetOverride("settle", "timout", Duration.ZERO), List.of("timout", "timeout"));
        refused.put(new Command.SetOverride("settle", "scope", "SHARDED"), List.of("scope", "timeout"));
        refused.put(new Command.SetOverride("settle", "timeout", "5 min"), List.of("timeout", "5 min", "Duration"));
        refused.put(new Command.SetOverride("settle", "shardingTotalCount", 0), List.of("shardingTotalCount", "1 to"));
        refused.put(
                new Command.SetOverride("settle", "schedule", Schedule.cron("0 0 0 30 2 ?")),
                List.of("schedule", "0 0 0 30 2 ?"));
        refused.put(new Command.SetOverride("settle", Map.of(), null), List.of("settle", "fields", "at least one"));
        refused.put(new Command.RemoveOverride("settle", Set.of("timout")), List.of("timout", "timeout"));
        refused.put(new Command.DisableItem("settle", "2"), List.of("settle", "2", "0 to 1"));
        refused.put(new Command.EnableItem("settle", "2"), List.of("settle", "2", "0 to 1"));
        refused.put(new Command.DisableInstance("settle", "a/b"), List.of("settle", "a/b", "name"));
        refused.put(new Command.EnableInstance("settle", "host-9"), List.of("settle", "host-9", "disabled"));
        refused.put(new Command.ReleaseItem("settle", "0"), List.of("settle", "0", "IDLE", "QUARANTINED"));
        refused.put(new Command.ReleaseItem("settle", "2"), List.of("item 2", "settle", "no record"));
        refused.put(
                new Command.Trigger("settle", Set.of("7"), Map.of(), Duration.ZERO), List.of("settle", "7", "0, 1"));
        refused.put(
                new Command.Trigger("settle", Set.of(), Map.of("a", "x".repeat(20_000)), Duration.ZERO),
                List.of("settle", "20001", "16384"));
        refused.put(
                new Command.Trigger("settle", Set.of(), Map.of(), Duration.ofDays(-1)),
                List.of("settle", "delay", "PT-24H", "zero to"));
        refused.put(new Command.CancelTrigger("settle", "nothing"), List.of("settle", "nothing", "delayed trigger"));
        refused.put(new Command.RerunItems("settle", "nothing", Set.of()), List.of("settle", "nothing", "latest fire"));
        refused.put(new Command.StopFire("settle", null, "nothing"), List.of("settle", "nothing", "runs or waits"));
        Instant now = cluster.now();
        refused.put(new Command.Backfill("setle", past.minusSeconds(9), past), List.of("setle", "not registered"));
        refused.put(
                new Command.Backfill("settle", past, past), List.of("settle", "from", past.toString(), "before to"));
        refused.put(
                new Command.Backfill("settle", past, now.plusSeconds(60)),
                List.of("settle", "to", now.plusSeconds(60).toString(), "not after now"));
        refused.put(
                new Command.Backfill("settle", Instant.EPOCH, now),
                List.of("settle", "to", now.toString(), "at most 10000 fires", "1971-02-21T16:00:00Z"));
        refused.put(
                new Command.Backfill("settle", now.minusSeconds(600), now.minusSeconds(300)),
                List.of("settle", "from", "a fire of the schedule"));
        refused.put(
                new Command.Backfill("settle", now.minusSeconds(7200), now, Map.of(), 17, 1),
                List.of("settle", "parallel", "17", "1 to 16"));
        refused.put(
                new Command.Backfill("settle", now.minusSeconds(7200), now, Map.of(), 1, 0),
                List.of("settle", "maxFailures", "0", "1 to 10000"));
        refused.put(
                new Command.Backfill("settle", now.minusSeconds(7200), now, Map.of("a", "x".repeat(20_000)), 1, 1),
                List.of("settle", "20001", "16384"));
        refused.put(
                new Command.Backfill("asked", now.minusSeconds(7200), now),
                List.of("asked", "schedule", "cron or a fixed rate"));
        refused.put(
                new Command.SilenceAlarms("settle", Set.of(AlarmKind.HISTORY_LOST), null),
                List.of("settle", "kinds", "HISTORY_LOST", "belong to a job"));
        refused.put(
                new Command.SilenceAlarms("settle", Set.of(), past),
                List.of("settle", "silencedAlarms", past.toString(), "after now"));
        refused.put(new Command.UnsilenceAlarms("setle"), List.of("setle", "not known"));
        refused.put(new Command.StopBackfill("settle"), List.of("settle", "no backfill"));
        refused.put(new Command.ResumeBackfill("setle"), List.of("setle", "no backfill"));
        refused.put(new Command.Remove("setle"), List.of("setle", "not known"));
        refused.put(new Command.Purge("settle"), List.of("settle", "not removed"));
        refused.put(new Command.Purge("setle"), List.of("setle", "no nodes", "the name is wrong"));
        refused.put(new Command.Freeze(past), List.of("until", past.toString(), "after now"));
        refused.put(new Command.DrainInstance("a/b", null), List.of("a/b", "accepted"));
        refused.put(new Command.DrainInstance(instance, past), List.of("until", past.toString(), "after now"));
        refused.put(new Command.UndrainInstance("host-9"), List.of("host-9", "not drained"));
        refused.put(new Command.Apply("[]"), List.of("document", "JSON object"));
        refused.put(new Command.Apply("{\"format\":2}"), List.of("format", "2", "4"));
        refused.put(
                new Command.Apply("{\"format\":4,\"overrides\":{\"settle\":{\"timeout\":5}}}"),
                List.of("settle", "timeout"));
        refused.put(
                new Command.Apply(
                        "{\"format\":4,\"overrides\":{\"settle\":{\"removed\":false,\"disabledItems\":[],\"skipTo\":\"2126-01-01T00:00:00Z\"}}}"),
                List.of("settle", "skipTo", "2126-01-01T00:00:00Z", "366 days"));
        refused.put(new Command.EvictInstance("host-9@1@1"), List.of("host-9@1@1", instance));
        operations.execute(new Command.Thaw(), ANN); // the first command of an observer asks for the server's clock
        long before = cluster.tree().zxid();

        refused.forEach((command, texts) -> assertThatThrownBy(() -> operations.execute(command, ANN))
                .as(command.toString())
                .isInstanceOf(RuntimeException.class)
                .hasMessageContainingAll(texts.toArray(CharSequence[]::new)));

        assertThat(cluster.tree().zxid()).as("the latest transaction").isEqualTo(before);
        Set<Operation> tried = refused.keySet().stream().map(Operation::of).collect(Collectors.toSet());
        assertThat(Stream.of(Operation.values()).filter(Operation::changes))
                .as("Thaw has nothing that could be wrong")
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(tried.stream(), Stream.of(Operation.THAW)).toList());
    }

    @Test
    void removedJobStartsNoRun(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        cluster.advance(Duration.ofHours(1));
        String last = operations.items("settle", Set.of("0")).get(0).run().runId();
        Command accepted = new Command.Trigger("settle", Set.of(), Map.of(), Duration.ofDays(1));
        operations.execute(accepted, ANN.withRequestId("before"));
        operations.execute(new Command.Remove("settle"), ANN);

        List<Command> commands = List.of(
                new Command.Trigger("settle"),
                new Command.Trigger("settle", Set.of("0"), Map.of(), Duration.ZERO),
                new Command.Trigger("settle", Set.of(), Map.of(), Duration.ofMinutes(5)),
                new Command.RerunItems("settle", last, Set.of("0")),
                new Command.Backfill("settle", cluster.now().minus(Duration.ofHours(9)), cluster.now()));
        for (int minutes : new int[] {0, 5}) { // the leader has emptied the plan after five minutes
            cluster.advance(Duration.ofMinutes(minutes));
            for (Command command : commands) {
                for (CommandOptions options : List.of(ANN, ANN.asDryRun())) {
                    assertThatThrownBy(() -> operations.execute(command, options))
                            .as(command.toString())
                            .isInstanceOf(CoordinationException.class)
                            .hasMessageContaining("job 'settle' is removed; register it again");
                }
            }
        }
        assertThat(operations.execute(accepted, ANN.withRequestId("before")))
                .as("a command that was applied before the removal")
                .isInstanceOf(CommandResult.Unchanged.class);
    }

    @Test
    void documentWithAnOverrideThatDoesNotFitIsRefused(@Instances(1) TestCluster cluster) {
        hourly(cluster);
        Operations operations = cluster.observe();
        operations.execute(new Command.SetOverride("settle", "shardingItemParameters", Map.of(1, "x")), ANN);
        String document = operations.export().replace("{\"1\":\"x\"}", "{\"7\":\"x\"}");
        operations.execute(new Command.RemoveOverride("settle", Set.of()), ANN);
        long before = cluster.tree().zxid();

        for (CommandOptions options : List.of(ANN, ANN.asDryRun())) {
            assertThatThrownBy(() -> operations.execute(new Command.Apply(document), options))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContainingAll("settle", "shardingItemParameters", "items from 0 to 1");
        }
        assertThat(cluster.tree().zxid()).isEqualTo(before);
    }
}
