package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Executes each command as an observer, on nodes that a newer version of the library has written. */
@ExtendWith(OstrakaExtension.class)
class NewerVersionNodesTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final String JOB = "settle";
    private static final String OVERRIDE = "/jobs/settle/override";
    private static final String RECORD = "/jobs/settle/sharding/0";
    private static final String BACKFILL = "/backfills/settle";
    private static final String WANTED = "/wanted";
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant MORNING = Instant.parse("2026-01-02T06:00:00Z");

    /** Commands that create nodes, or delete them. */
    private static final Set<Operation> WITHOUT_NODE = EnumSet.of(
            Operation.TRIGGER,
            Operation.RERUN_ITEMS,
            Operation.STOP_FIRE,
            Operation.EVICT_INSTANCE,
            Operation.CANCEL_TRIGGER,
            Operation.PURGE);

    /**
     * A command, and the node that it changes.
     *
     * @param before command that makes the tested one possible; the same command if there is none
     */
    private record Change(String node, Command before, Command command) {
        @Override
        public String toString() {
            return Operation.of(command) + " of " + node;
        }
    }

    static List<Change> changes() {
        String document =
                """
                {"format":1,"overrides":{"settle":{"removed":false,"disabledItems":["1"],"disabledInstances":[],"changes":{}}},
                "wanted":{"drained":{},"frozen":{"by":"ann","reason":"","at":"2026-01-01T00:00:00Z"}}}""";
        Command pause = new Command.Pause(JOB);
        Command freeze = new Command.Freeze(null);
        Command backfill = new Command.Backfill(JOB, START, START.plus(Duration.ofHours(3)));
        Command stop = new Command.StopBackfill(JOB);
        return List.of(
                new Change(OVERRIDE, new Command.DisableItem(JOB, "1"), pause),
                new Change(OVERRIDE, pause, new Command.Resume(JOB)),
                new Change(OVERRIDE, pause, new Command.SkipFires(JOB, MORNING)),
                new Change(OVERRIDE, pause, new Command.SetOverride(JOB, "timeout", Duration.ofMinutes(1))),
                new Change(OVERRIDE, pause, new Command.RemoveOverride(JOB, Set.of())),
                new Change(OVERRIDE, pause, new Command.DisableItem(JOB, "1")),
                new Change(OVERRIDE, new Command.DisableItem(JOB, "1"), new Command.EnableItem(JOB, "1")),
                new Change(OVERRIDE, pause, new Command.DisableInstance(JOB, "db-1")),
                new Change(OVERRIDE, new Command.DisableInstance(JOB, "db-1"), new Command.EnableInstance(JOB, "db-1")),
                new Change(OVERRIDE, pause, new Command.Remove(JOB)),
                new Change(OVERRIDE, pause, new Command.Apply(document)),
                new Change(RECORD, pause, new Command.ReleaseItem(JOB, "0")),
                new Change(RECORD, pause, new Command.SetBackCursor(JOB, "0")),
                new Change(WANTED, new Command.DrainInstance("db-1", null), freeze),
                new Change(WANTED, freeze, new Command.Thaw()),
                new Change(WANTED, freeze, new Command.DrainInstance("db-1", null)),
                new Change(WANTED, new Command.DrainInstance("db-1", null), new Command.UndrainInstance("db-1")),
                new Change(WANTED, new Command.DrainInstance("db-1", null), new Command.Apply(document)),
                new Change(BACKFILL, stop, backfill),
                new Change(BACKFILL, backfill, stop),
                new Change(BACKFILL, stop, new Command.ResumeBackfill(JOB)));
    }

    /** Prepares the node of a change, ends all instances, and adds a field to the node. */
    private static Operations prepare(TestCluster cluster, Change change, String field, String value) {
        cluster.schedule(
                context -> {
                    if (change.command() instanceof Command.ReleaseItem) {
                        throw new IllegalStateException("as ever");
                    }
                },
                JobConfiguration.newBuilder(JOB, 2)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .quarantineAfter(change.command() instanceof Command.ReleaseItem ? 1 : 0)
                        .build());
        cluster.advance(Duration.ofHours(3));
        Operations operations = cluster.observe();
        if (change.before() instanceof Command.StopBackfill) {
            operations.execute(new Command.Backfill(JOB, START, START.plus(Duration.ofHours(3))), ANN);
        }
        operations.execute(change.before(), ANN);
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(TestCluster.SESSION_TIMEOUT.multipliedBy(3));
        ZkCli hand = new ZkCli(cluster);
        JsonObject content = JsonParser.parseString(hand.text(change.node())).getAsJsonObject();
        if (change.command() instanceof Command.SetBackCursor) {
            content.addProperty("cursor", "2026-01-09T00:00:00Z");
        }
        content.add(field, JsonParser.parseString(value));
        hand.write(change.node(), content.toString());
        return operations;
    }

    @ParameterizedTest
    @MethodSource("changes")
    void fieldOfANewerVersionStays(Change change, @Instances(1) TestCluster cluster) {
        Operations operations = prepare(cluster, change, "future", "{\"a\":[1,2]}");

        CommandResult result = operations.execute(change.command(), ANN);

        assertThat(result).isInstanceOf(CommandResult.Applied.class);
        JsonObject content =
                JsonParser.parseString(new ZkCli(cluster).text(change.node())).getAsJsonObject();
        assertThat(content.get("future")).hasToString("{\"a\":[1,2]}");
    }

    @ParameterizedTest
    @MethodSource("changes")
    void nodeInAFormatOfANewerVersionIsNotChanged(Change change, @Instances(1) TestCluster cluster) {
        Operations operations = prepare(cluster, change, "format", "9");
        long before = cluster.tree().zxid();

        assertThatThrownBy(() -> operations.execute(change.command(), ANN)).hasMessageContainingAll(change.node(), "9");

        assertThat(cluster.tree().zxid()).as("the latest transaction").isEqualTo(before);
        assertThat(operations.jobs()).as("the list of jobs").hasSize(1);
    }

    @Test
    void restoredSettingsKeepTheIdsOfRecentRequests(@Instances(1) TestCluster cluster) {
        Change apply = changes().get(10);
        Operations operations = prepare(cluster, apply, "future", "1");
        CommandOptions once = ANN.withRequestId("skip-1");
        Command skip = new Command.SetOverride(JOB, "timeout", Duration.ofMinutes(1));
        assertThat(operations.execute(skip, once)).isInstanceOf(CommandResult.Applied.class);

        operations.execute(apply.command(), ANN);

        assertThat(operations.execute(skip, once)).isInstanceOf(CommandResult.Unchanged.class);
    }

    @Test
    void everyCommandThatChangesANodeIsTried() {
        Set<Operation> tried =
                changes().stream().map(change -> Operation.of(change.command())).collect(Collectors.toSet());

        assertThat(Stream.of(Operation.values()).filter(Operation::changes))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(tried.stream(), WITHOUT_NODE.stream()).toList());
    }
}
