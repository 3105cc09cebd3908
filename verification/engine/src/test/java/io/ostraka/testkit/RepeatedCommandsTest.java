package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.ItemReleased;
import io.ostraka.api.event.JobPurged;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests commands that are repeated because their outcome is unknown, and commands that expect a version. */
@ExtendWith(OstrakaExtension.class)
class RepeatedCommandsTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final String JOB = "settle";
    private static final Command RELEASE = new Command.ReleaseItem(JOB, "0");

    private final List<Event> events = new ArrayList<>();

    private static JobConfiguration.Builder hourly(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")));
    }

    private static void scheduleFailing(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("as ever");
                },
                hourly(1).quarantineAfter(1).build());
        cluster.advance(Duration.ofHours(1));
    }

    private static ItemDetails item(Operations operations) {
        return operations.items(JOB, Set.of("0")).get(0);
    }

    /** Executes a command through the first instance, which loses ZooKeeper's reply. */
    private static CommandResult executeWithoutReply(TestCluster cluster, Command command, CommandOptions options) {
        TestCluster.Instance through = cluster.instances().get(0);
        through.store().loseNextReply();
        CommandResult result = through.operations().execute(command, options);
        through.store().reconnect();
        cluster.advance(Duration.ofSeconds(1));
        return result;
    }

    @Test
    void itemKeepsWhoReleasedItAndWhy(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        scheduleFailing(cluster);
        Operations operations = cluster.operations();
        assertThat(item(operations).changes()).isEmpty();
        Instant before = cluster.now();

        CommandResult result = operations.execute(RELEASE, ANN);

        assertThat(result).isInstanceOfSatisfying(CommandResult.Applied.class, applied -> assertThat(applied.version())
                .isPositive());
        cluster.advance(Duration.ofHours(3));
        Change change = item(operations).changes().get("RELEASE_ITEM");
        assertThat(change).as("after the next fire").isNotNull();
        assertThat(change.by()).isEqualTo("ann");
        assertThat(change.reason()).isEqualTo("ticket 7");
        assertThat(change.at()).isBetween(before.minusSeconds(5), before.plusSeconds(5));
        assertThat(events)
                .filteredOn(ItemReleased.class::isInstance)
                .singleElement()
                .satisfies(event -> {
                    assertThat(((ItemReleased) event).actor()).isEqualTo("ann");
                    assertThat(((ItemReleased) event).reason()).isEqualTo("ticket 7");
                });
    }

    @Test
    void releaseWhoseReplyWasLostIsAppliedOnce(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        scheduleFailing(cluster);
        CommandOptions once = ANN.withRequestId("r-1");
        Operations operations = cluster.observe();

        assertThat(executeWithoutReply(cluster, RELEASE, once)).isInstanceOf(CommandResult.Unknown.class);
        assertThat(cluster.operations().execute(RELEASE, once)).isInstanceOf(CommandResult.Unchanged.class);
        cluster.advance(Duration.ofHours(1));
        assertThat(item(operations).state()).as("fails again").isEqualTo(ItemDetails.State.QUARANTINED);
        long version = item(operations).version();

        CommandResult late = cluster.operations().execute(RELEASE, once);

        assertThat(late).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);
        assertThat(item(operations).version()).isEqualTo(version);
        assertThat(events).noneMatch(ItemReleased.class::isInstance);
        assertThat(operations.execute(RELEASE, ANN.withRequestId("r-2"))).isInstanceOf(CommandResult.Applied.class);
    }

    @Test
    void releaseForAnOlderVersionChangesNothing(@Instances(1) TestCluster cluster) {
        scheduleFailing(cluster);
        Operations operations = cluster.observe();
        long seen = item(operations).version();
        operations.execute(RELEASE, ANN.expecting(seen));
        cluster.advance(Duration.ofHours(2));
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);

        CommandResult stale = operations.execute(RELEASE, ANN.expecting(seen));

        assertThat(stale)
                .isEqualTo(new CommandResult.Conflict(
                        item(operations).version(),
                        "the record of item 0 of job 'settle' has changed; read the item again"));
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);
    }

    @Test
    void releaseSurvivesAChangeOfTheItemCount(@Instances(1) TestCluster cluster) {
        scheduleFailing(cluster);
        Operations operations = cluster.observe();
        CommandOptions once = ANN.withRequestId("r-1");
        operations.execute(RELEASE, once);
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.SetOverride(JOB, "shardingTotalCount", 3), ANN);
        cluster.advance(Duration.ofHours(2));
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);

        assertThat(operations.execute(RELEASE, once)).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(operations.items(JOB, Set.of("1")).get(0).changes())
                .as("an item that was never released")
                .isEmpty();
    }

    /**
     * Executes every command with an expected version that no node has. Each command must check the version and have no
     * effect.
     */
    @Test
    void noCommandIgnoresTheVersionThatItExpects(@Instances(1) TestCluster cluster) {
        scheduleFailing(cluster);
        Operations operations = cluster.operations();
        String instance = cluster.instances().get(0).id();
        operations.execute(new Command.SetOverride(JOB, "jobParameter", "x"), ANN);
        operations.execute(new Command.DrainInstance("host-9", null), ANN);
        operations.execute(
                new Command.Trigger(JOB, Set.of(), Map.of(), Duration.ofDays(1)), ANN.withRequestId("later"));
        operations.execute(
                new Command.Backfill(JOB, cluster.now().minus(Duration.ofHours(9)), cluster.now()),
                ANN.withRequestId("past"));
        cluster.schedule(context -> {}, JobConfiguration.newBuilder("gone", 1).build());
        remove(cluster, "gone");
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("ahead", 1)
                        .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                        .build());
        cluster.advance(Duration.ofMinutes(1));
        ZkCli hand = new ZkCli(cluster);
        String path = "/jobs/ahead/sharding/0";
        hand.write(
                path,
                hand.text(path)
                        .replaceFirst(
                                "\"cursor\":\"[^\"]*\"",
                                "\"cursor\":\"" + cluster.now().plusSeconds(900) + "\""));
        List<Command> compared = List.of(
                new Command.Pause(JOB),
                new Command.Resume(JOB),
                new Command.Resume(JOB, false),
                new Command.SkipFires(JOB, cluster.now()),
                new Command.SetOverride(JOB, "timeout", Duration.ofHours(1)),
                new Command.RemoveOverride(JOB, Set.of()),
                new Command.DisableItem(JOB, "0"),
                new Command.EnableItem(JOB, "0"),
                new Command.DisableInstance(JOB, "host-0"),
                new Command.SilenceAlarms(JOB, Set.of(), null),
                new Command.UnsilenceAlarms(JOB),
                new Command.EnableInstance(JOB, "host-0"),
                RELEASE,
                new Command.SetBackCursor("ahead", "0"),
                new Command.StopBackfill(JOB),
                new Command.ResumeBackfill(JOB),
                new Command.Backfill(JOB, cluster.now().minus(Duration.ofHours(9)), cluster.now()),
                new Command.Remove(JOB),
                new Command.Purge("gone"),
                new Command.Freeze(null),
                new Command.Thaw(),
                new Command.DrainInstance("host-9", null),
                new Command.UndrainInstance("host-9"));
        List<Command> refused = List.of(
                new Command.Trigger(JOB),
                new Command.CancelTrigger(JOB, "later"),
                new Command.RerunItems(JOB, item(operations).run().runId(), Set.of()),
                new Command.StopFire(JOB, null, item(operations).run().runId()),
                new Command.EvictInstance(instance),
                new Command.Apply(operations.export()));
        long before = cluster.tree().zxid();

        for (CommandOptions options : List.of(ANN.expecting(1), ANN.expecting(1).asDryRun())) {
            for (Command command : compared) {
                assertThat(operations.execute(command, options))
                        .as(command.toString())
                        .isInstanceOf(CommandResult.Conflict.class);
            }
            for (Command command : refused) {
                assertThatThrownBy(() -> operations.execute(command, options))
                        .as(command.toString())
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContainingAll(
                                "expectedVersion", Operation.of(command).name(), "accepted");
            }
        }

        assertThat(cluster.tree().zxid()).as("the latest transaction").isEqualTo(before);
        assertThat(Stream.concat(compared.stream(), refused.stream())
                        .map(Operation::of)
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(Operation.values()).filter(Operation::changes).toList());
        assertThat(operations.execute(new Command.Trigger(JOB), ANN.expecting(0)))
                .as("the version of its preview")
                .isInstanceOf(CommandResult.Applied.class);
    }

    /** Removes a job that this cluster hosts, so that it can be purged. */
    private static void remove(TestCluster cluster, String job) {
        cluster.observe().execute(new Command.Remove(job), ANN);
        cluster.instances().forEach(instance -> instance.engine().unregister(job));
        cluster.advance(Duration.ofMinutes(2));
    }

    @Test
    void purgeNamesItsOperatorInTheEventAndInTheLog(@Instances(1) TestCluster cluster) throws Exception {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, hourly(1).build());
        remove(cluster, JOB);
        Operations operations = cluster.operations();
        CommandResult preview = operations.execute(new Command.Purge(JOB), ANN.asDryRun());
        long version = ((CommandResult.Preview) preview).version();
        assertThat(version).isPositive().isEqualTo(operations.job(JOB).version());

        List<String> lines;
        try (InfoLog log = new InfoLog("io.ostraka.operations.OverrideCommands")) {
            assertThat(operations.execute(new Command.Purge(JOB), ANN.expecting(version)))
                    .isInstanceOf(CommandResult.Applied.class);
            lines = log.lines(JOB);
        }

        assertThat(lines).singleElement().asString().contains("INFO", "ann", "ticket 7");
        assertThat(events)
                .filteredOn(JobPurged.class::isInstance)
                .singleElement()
                .satisfies(event -> {
                    assertThat(((JobPurged) event).actor()).isEqualTo("ann");
                    assertThat(((JobPurged) event).reason()).isEqualTo("ticket 7");
                });
        assertThat(cluster.tree().children("/jobs")).isEmpty();
        assertThatThrownBy(() -> operations.execute(new Command.Purge(JOB), ANN))
                .isInstanceOf(CoordinationException.class)
                .hasMessageContainingAll(JOB, "no nodes", "purged before");
    }

    @Test
    void purgeWhoseReplyWasLostIsContinuedByItsRepetition(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(2).build());
        remove(cluster, JOB);
        CommandOptions once =
                ANN.withRequestId("r-1").expecting(cluster.operations().job(JOB).version());

        assertThat(executeWithoutReply(cluster, new Command.Purge(JOB), once))
                .isInstanceOf(CommandResult.Unknown.class);
        assertThat(cluster.tree().children("/jobs/" + JOB))
                .doesNotContain("config")
                .isNotEmpty();
        assertThat(cluster.operations().execute(new Command.Purge(JOB), once))
                .isInstanceOf(CommandResult.Applied.class);
        assertThat(cluster.tree().children("/jobs")).isEmpty();
    }

    @Test
    void purgeThatARegistrationOvertakesDeletesNothing(@Instances(1) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(2).build());
        remove(cluster, JOB);
        InMemoryNodeStore slow = cluster.tree().connect("slow", Runnable::run);
        slow.start(new DeafListener());
        HeldCommits held = new HeldCommits(slow);
        CompletableFuture<Optional<Amendment.Conflict>> purge = new TreeCoordination(held, new SystemClock())
                .jobs()
                .purge(JOB, null)
                .toCompletableFuture();
        List<Instant> fires = new ArrayList<>();
        cluster.schedule(context -> fires.add(context.fireTime()), hourly(2).build());
        cluster.advance(Duration.ofMinutes(1));

        held.release();
        cluster.advance(Duration.ofHours(1));

        assertThatThrownBy(purge::join).hasMessageContainingAll(JOB, "not removed");
        assertThat(fires).as("one fire of two items").hasSize(2);
    }

    @Test
    void stopOfAFireThatHasEndedChangesNothingAndSaysSo(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, hourly(2).build());
        Operations operations = cluster.observe();
        cluster.advance(Duration.ofHours(1));
        String scheduled = item(operations).run().runId();
        assertEnded(cluster, operations, scheduled, "the record shows it");

        operations.execute(new Command.Trigger(JOB), ANN.withRequestId("triggered"));
        cluster.advance(Duration.ofMinutes(1));
        assertThat(item(operations).run().runId()).isEqualTo("triggered");
        assertEnded(cluster, operations, "triggered", "the progress of the fire shows it");
        new ZkCli(cluster).delete("/jobs/" + JOB + "/fires/triggered");
        assertEnded(cluster, operations, "triggered", "the record still shows it an hour later");

        for (String unknown : List.of(scheduled, JOB + "@2020-01-01T00:00:00Z", "tirggered")) {
            assertThatThrownBy(() -> operations.execute(new Command.StopFire(JOB, null, unknown), ANN))
                    .hasMessageContainingAll(JOB, unknown, "runs or waits");
        }
    }

    private static void assertEnded(TestCluster cluster, Operations operations, String runId, String why) {
        for (String item : new String[] {null, "0"}) {
            Command stop = new Command.StopFire(JOB, item, runId);
            CommandResult result = operations.execute(stop, ANN);
            assertThat(result).as(why).isInstanceOf(CommandResult.Unchanged.class);
            assertThat(result.text()).contains("has ended", runId);
            assertThat(operations.execute(stop, ANN.asDryRun()).text()).isEqualTo(result.text());
        }
        assertThat(cluster.tree().children("/stops")).isEmpty();
    }

    @Test
    void repeatedStopOfARunningFireIsHarmlessAlsoAfterItsEnd(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    while (!context.isCancelled()) {
                        cluster.advance(Duration.ofSeconds(1));
                    }
                },
                hourly(1).build());
        Operations operations = cluster.observe();
        List<CommandResult> results = new ArrayList<>();
        Instant at = Instant.parse("2026-01-01T01:00:20Z");
        Command stop = new Command.StopFire(JOB, null, JOB + "@2026-01-01T01:00:00Z");
        cluster.time().after(Duration.between(cluster.now(), at), () -> {
            results.add(operations.execute(stop, ANN.withRequestId("r-1")));
            results.add(operations.execute(stop, ANN.withRequestId("r-1")));
        });
        cluster.advance(Duration.ofMinutes(62));
        results.add(operations.execute(stop, ANN.withRequestId("r-1")));

        assertThat(results.get(0)).isInstanceOf(CommandResult.Applied.class);
        assertThat(results.get(1)).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(results.get(2)).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(results.get(2).text()).contains("has ended");
        assertThat(item(operations).run().outcome()).isEqualTo(ItemOutcome.CANCELLED);
    }

    /** One item has ended the fire; the owner of the other item has no connection yet. */
    @Test
    void fireThatAnItemMayStillStartHasNotEnded(@Instances(2) TestCluster cluster) {
        List<String> runs = new ArrayList<>();
        cluster.schedule(context -> runs.add(context.itemKey()), hourly(2).build());
        Operations operations = cluster.observe();
        cluster.advance(Duration.between(cluster.now(), Instant.parse("2026-01-01T00:59:58Z")));
        TestCluster.Instance late = cluster.instance(item(operations).owner());
        late.store().suspend();
        cluster.advance(Duration.ofSeconds(5));
        assertThat(runs).containsExactly("1");
        Command stop = new Command.StopFire(JOB, null, JOB + "@2026-01-01T01:00:00Z");

        assertThat(operations.execute(stop, ANN)).isInstanceOf(CommandResult.Applied.class);
        late.store().reconnect();
        cluster.advance(Duration.ofMinutes(5));

        assertThat(runs).containsExactly("1");
        assertThat(item(operations).skipped()).singleElement().satisfies(skipped -> assertThat(skipped.reason())
                .isEqualTo(SkipReason.STOPPED));
        assertThat(operations.execute(stop, ANN)).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(cluster.tree().children("/stops")).isEmpty();
    }

    @Test
    void repeatedRerunRunsTheItemsOnce(@Instances(1) TestCluster cluster) {
        List<String> runs = new ArrayList<>();
        cluster.schedule(
                context -> {
                    runs.add(context.runId());
                    throw new IllegalStateException("as ever");
                },
                hourly(1).build());
        cluster.advance(Duration.ofHours(1));
        Command rerun = new Command.RerunItems(JOB, runs.get(0), Set.of());
        CommandOptions options = ANN.withRequestId("again-1");
        assertThat(executeWithoutReply(cluster, rerun, options)).isInstanceOf(CommandResult.Unknown.class);
        cluster.advance(Duration.ofSeconds(10));

        CommandResult repeated = cluster.operations().execute(rerun, options);
        cluster.advance(Duration.ofSeconds(10));

        assertThat(repeated).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(runs).containsExactly(runs.get(0), "again-1");
    }

    @Test
    void delayedTriggerIsRecognisedByItsRequestIdWithoutTheDelay(@Instances(1) TestCluster cluster) {
        List<String> runs = new ArrayList<>();
        cluster.schedule(
                context -> runs.add(context.runId()),
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.onDemand())
                        .build());
        cluster.advance(Duration.ofSeconds(10));
        Operations operations = cluster.observe();
        for (String id : List.of("runs", "cancelled")) {
            CommandOptions once = ANN.withRequestId(id);
            operations.execute(new Command.Trigger(JOB, Set.of(), Map.of(), Duration.ofHours(2)), once);
            assertThat(operations.execute(new Command.Trigger(JOB), once))
                    .isInstanceOfSatisfying(CommandResult.Unchanged.class, unchanged -> assertThat(unchanged.created())
                            .isEqualTo(id));
        }

        assertThat(operations.execute(new Command.CancelTrigger(JOB, "cancelled"), ANN))
                .isInstanceOf(CommandResult.Applied.class);
        cluster.advance(Duration.ofHours(1));
        assertThat(runs).as("before the delay has passed").isEmpty();
        cluster.advance(Duration.ofHours(3));
        assertThat(runs).containsExactly("runs");
    }

    /** The namespace is frozen, so the trigger of the rerun waits. A new rerun would be refused now. */
    @Test
    void rerunThatWaitsIsRecognisedByItsRequestId(@Instances(1) TestCluster cluster) {
        List<String> runs = new ArrayList<>();
        cluster.schedule(context -> runs.add(context.runId()), hourly(1).build());
        cluster.advance(Duration.ofHours(1));
        Operations operations = cluster.observe();
        operations.execute(new Command.Freeze(null), ANN);
        Command rerun = new Command.RerunItems(JOB, runs.get(0), Set.of("0"));
        CommandOptions once = ANN.withRequestId("again-1");
        operations.execute(rerun, once);
        operations.execute(new Command.SetOverride(JOB, "shardingTotalCount", 2), ANN);
        cluster.advance(Duration.ofMinutes(5));

        assertThatThrownBy(() -> operations.execute(rerun, ANN)).hasMessageContaining("the item count was 1");
        assertThat(operations.execute(rerun, once))
                .isInstanceOfSatisfying(CommandResult.Unchanged.class, unchanged -> assertThat(unchanged.created())
                        .isEqualTo("again-1"));
    }

    @Test
    void orderIsRecognisedByItsRequestIdAfterItsEnd(@Instances(1) TestCluster cluster) {
        Operations operations = cluster.observe();
        Instant end = cluster.now().plusSeconds(30);
        Map<String, Command> orders =
                Map.of("r-1", new Command.Freeze(end), "r-2", new Command.DrainInstance("host-9", end));
        orders.forEach((id, order) ->
                assertThat(operations.execute(order, ANN.withRequestId(id))).isInstanceOf(CommandResult.Applied.class));
        cluster.advance(Duration.ofMinutes(1));

        orders.forEach((id, order) -> {
            assertThat(operations.execute(order, ANN.withRequestId(id))).isInstanceOf(CommandResult.Unchanged.class);
            for (CommandOptions options : List.of(ANN, ANN.asDryRun())) {
                assertThatThrownBy(() -> operations.execute(order, options))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("until is " + end + "; accepted: a time after now");
            }
        });
    }
}
