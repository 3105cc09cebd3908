package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Operations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests an observer when nodes were written by a newer version. Each command keeps the fields that it does not know,
 * and refuses a node in a newer format without any write. The views name the unreadable node and show all other nodes.
 */
class NewerVersionNodesTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final String ADDED = "\"added\":{\"by\":[\"a newer version\",null]}";

    private static final String JOB = "settle";
    private static final String CONFIG = "/jobs/settle/config";
    private static final String OVERRIDE = "/jobs/settle/override";
    private static final String PLAN = "/jobs/settle/sharding";
    private static final String RECORD = "/jobs/settle/sharding/0";
    private static final String FIRE = "/jobs/settle/fires/asked";
    private static final String DELAYED = "/delayed/settle~later";
    private static final String BACKFILL = "/backfills/settle";
    private static final String ORDERS = "/orders";

    private static final Command DRAIN = new Command.DrainInstance("host-9", null);
    private static final Command OVERRIDES = new Command.SetOverride(JOB, "jobParameter", "overridden");

    private final TestCluster cluster = new TestCluster(1, Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final ZkCli zkCli = new ZkCli(cluster);
    private final Operations operations = cluster.observe();
    private final String instance = cluster.instances().get(0).id();

    /** A command, with the nodes that it changes, creates, deletes or reads. */
    private record Case(Command command, Effect effect, List<String> nodes) {
        /**
         * Returns the node that the command changes or deletes. For a command that creates a node, returns a node that
         * it reads.
         */
        String node() {
            return nodes.get(0);
        }
    }

    private enum Effect {
        CHANGES,
        CREATES,
        DELETES
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    static Stream<Class<?>> commands() {
        return commands(Command.class);
    }

    private static Stream<Class<?>> commands(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(NewerVersionNodesTest::commands)
                : Stream.of(type);
    }

    private Case of(Class<?> command) {
        Supplier<Case> found = cases().get(command);
        assertThat(found).as("the case of " + command.getSimpleName()).isNotNull();
        return found.get();
    }

    private Map<Class<?>, Supplier<Case>> cases() {
        Instant before = Instant.parse("2026-01-01T00:11:00Z");
        Command.Backfill backfill =
                new Command.Backfill(JOB, before, before.plus(Duration.ofMinutes(20)), Map.of(), 1, 9);
        Map<Class<?>, Supplier<Case>> cases =
                new TreeMap<>((a, b) -> a.getName().compareTo(b.getName()));
        cases.put(Command.Pause.class, () -> override(OVERRIDES, new Command.Pause(JOB)));
        cases.put(Command.Resume.class, () -> override(new Command.Pause(JOB), new Command.Resume(JOB, false)));
        cases.put(Command.SkipFires.class, () -> override(OVERRIDES, new Command.SkipFires(JOB, before)));
        cases.put(
                Command.SetOverride.class,
                () -> override(OVERRIDES, new Command.SetOverride(JOB, "timeout", Duration.ofMinutes(1))));
        cases.put(Command.RemoveOverride.class, () -> override(OVERRIDES, new Command.RemoveOverride(JOB, Set.of())));
        cases.put(Command.DisableItem.class, () -> override(OVERRIDES, new Command.DisableItem(JOB, "0")));
        cases.put(
                Command.EnableItem.class,
                () -> override(new Command.DisableItem(JOB, "0"), new Command.EnableItem(JOB, "0")));
        cases.put(Command.DisableInstance.class, () -> override(OVERRIDES, new Command.DisableInstance(JOB, "host-9")));
        cases.put(
                Command.EnableInstance.class,
                () -> override(new Command.DisableInstance(JOB, "host-9"), new Command.EnableInstance(JOB, "host-9")));
        cases.put(
                Command.SilenceAlarms.class,
                () -> override(OVERRIDES, new Command.SilenceAlarms(JOB, Set.of(AlarmKind.LATE), null)));
        cases.put(
                Command.UnsilenceAlarms.class,
                () -> override(
                        new Command.SilenceAlarms(JOB, Set.of(AlarmKind.LATE), null),
                        new Command.UnsilenceAlarms(JOB)));
        cases.put(Command.Remove.class, () -> override(OVERRIDES, new Command.Remove(JOB)));
        cases.put(Command.Purge.class, () -> {
            schedule(new Command.Remove(JOB));
            cluster.instances().get(0).close();
            return new Case(new Command.Purge(JOB), Effect.DELETES, List.of(OVERRIDE, CONFIG, PLAN));
        });
        cases.put(Command.ReleaseItem.class, () -> {
            scheduleAndWedge();
            edit(RECORD, "\"state\":\"IDLE\"", "\"state\":\"QUARANTINED\"");
            return new Case(new Command.ReleaseItem(JOB, "0"), Effect.CHANGES, List.of(RECORD));
        });
        cases.put(Command.SetBackCursor.class, () -> {
            scheduleAndWedge();
            edit(RECORD, "\"cursor\":\"2026", "\"cursor\":\"2027");
            return new Case(new Command.SetBackCursor(JOB, "0"), Effect.CHANGES, List.of(RECORD, PLAN));
        });
        cases.put(Command.Trigger.class, () -> {
            scheduleAndWedge();
            return new Case(new Command.Trigger(JOB), Effect.CREATES, List.of(PLAN));
        });
        cases.put(Command.CancelTrigger.class, () -> {
            scheduleAndWedge();
            execute(new Command.Trigger(JOB, Set.of(), Map.of(), Duration.ofHours(1)), "later");
            return new Case(new Command.CancelTrigger(JOB, "later"), Effect.DELETES, List.of(DELAYED));
        });
        cases.put(Command.RerunItems.class, () -> {
            scheduleAndWedge();
            return new Case(
                    new Command.RerunItems(JOB, "settle@2026-01-01T00:30:00Z", Set.of()),
                    Effect.CREATES,
                    List.of(RECORD, PLAN));
        });
        cases.put(Command.StopFire.class, () -> {
            scheduleAndWedge();
            edit(RECORD, "\"state\":\"IDLE\"", "\"state\":\"RUNNING\"");
            return new Case(
                    new Command.StopFire(JOB, null, "settle@2026-01-01T00:30:00Z"),
                    Effect.CREATES,
                    List.of(RECORD, PLAN));
        });
        cases.put(Command.Backfill.class, () -> {
            schedule(backfill);
            cluster.advance(Duration.ofMinutes(10));
            wedge();
            return new Case(backfill, Effect.CHANGES, List.of(BACKFILL, PLAN, CONFIG));
        });
        cases.put(Command.StopBackfill.class, () -> {
            scheduleAndWedge(backfill);
            return new Case(new Command.StopBackfill(JOB), Effect.CHANGES, List.of(BACKFILL));
        });
        cases.put(Command.ResumeBackfill.class, () -> {
            scheduleAndWedge(backfill, new Command.StopBackfill(JOB));
            return new Case(new Command.ResumeBackfill(JOB), Effect.CHANGES, List.of(BACKFILL, CONFIG));
        });
        cases.put(Command.Freeze.class, () -> orders(DRAIN, new Command.Freeze(null)));
        cases.put(Command.Thaw.class, () -> orders(new Command.Freeze(null), new Command.Thaw()));
        cases.put(Command.DrainInstance.class, () -> orders(new Command.Freeze(null), DRAIN));
        cases.put(Command.UndrainInstance.class, () -> orders(DRAIN, new Command.UndrainInstance("host-9")));
        cases.put(Command.EvictInstance.class, () -> {
            scheduleAndWedge();
            return new Case(new Command.EvictInstance(instance), Effect.CREATES, List.of("/instances/" + instance));
        });
        cases.put(Command.Apply.class, () -> {
            scheduleAndWedge(OVERRIDES, new Command.Pause("audit"), new Command.Freeze(null));
            String document = operations.export();
            Stream.of(new Command.Pause(JOB), new Command.Resume("audit"), new Command.Thaw())
                    .forEach(command -> execute(command, null));
            return new Case(new Command.Apply(document), Effect.CHANGES, List.of(OVERRIDE, ORDERS));
        });
        return cases;
    }

    private Case override(Command before, Command command) {
        scheduleAndWedge(before);
        return new Case(command, Effect.CHANGES, List.of(OVERRIDE, CONFIG));
    }

    private Case orders(Command before, Command command) {
        scheduleAndWedge(before);
        return new Case(command, Effect.CHANGES, List.of(ORDERS));
    }

    /** Runs two jobs for more than half an hour. Item 0 of {@link #JOB} fails. Then executes the commands. */
    private void schedule(Command... before) {
        for (String job : List.of("audit", JOB)) {
            cluster.schedule(
                    context -> {
                        if (job.equals(JOB) && context.shardingItem() == 0) {
                            throw new IllegalStateException("as ever");
                        }
                    },
                    JobConfiguration.newBuilder(job, 2)
                            .schedule(Schedule.cron("0 0/30 * * * ?", ZoneId.of("UTC")))
                            .build());
        }
        cluster.advance(Duration.ofMinutes(32));
        Stream.of(before).forEach(command -> execute(command, null));
        cluster.advance(Duration.ofSeconds(10));
    }

    /**
     * Like {@link #schedule}, but wedges the instance before the commands. The instance then stays registered but
     * writes nothing.
     */
    private void scheduleAndWedge(Command... before) {
        schedule();
        wedge();
        Stream.of(before).forEach(command -> execute(command, null));
    }

    private void wedge() {
        cluster.instances().get(0).setWedged(true);
        cluster.advance(Duration.ofMinutes(1));
    }

    private void execute(Command command, String requestId) {
        assertThat(operations.execute(command, ANN.withRequestId(requestId)))
                .as(command.toString())
                .isInstanceOf(CommandResult.Applied.class);
    }

    private void edit(String path, String from, String to) {
        String before = zkCli.text(path);
        assertThat(before).as(path).contains(from);
        zkCli.write(path, before.replace(from, to));
    }

    private void makeNewer(String path) {
        zkCli.write(path, zkCli.text(path).replaceFirst("\"format\":\\d", "\"format\":9"));
        assertThat(zkCli.text(path)).as(path).contains("\"format\":9");
    }

    /** Returns the contents of all nodes by path. */
    private Map<String, String> tree() {
        Map<String, String> contents = new TreeMap<>();
        cluster.tree()
                .paths()
                .forEach(path -> contents.put(
                        path, new String(cluster.tree().read(path).orElseThrow().data(), StandardCharsets.ISO_8859_1)));
        return contents;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandKeepsTheFieldsThatItDoesNotKnow(Class<?> type) {
        Case tried = of(type);
        String node = tried.node();
        edit(node, "{\"format\":", "{" + ADDED + ",\"format\":");
        String before = zkCli.text(node);

        execute(tried.command(), null);

        switch (tried.effect()) {
            case CHANGES -> assertThat(zkCli.text(node)).isNotEqualTo(before).contains(ADDED);
            case CREATES -> assertThat(zkCli.text(node)).isIn(before, ""); // an eviction ends the session
            case DELETES -> assertThat(tree()).doesNotContainKey(node);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandRefusesANodeInANewerFormat(Class<?> type) {
        Case tried = of(type);
        for (String node : tried.nodes()) {
            String readable = zkCli.text(node);
            makeNewer(node);
            Map<String, String> before = tree();
            for (CommandOptions options : List.of(ANN, ANN.asDryRun())) {
                String attempt = tried.command() + " at " + node + (options.dryRun() ? ", dry run" : "");

                Throwable refusal = catchThrowable(() -> operations.execute(tried.command(), options));

                assertThat(tree()).as(attempt).isEqualTo(before);
                assertThat(refusal)
                        .as(attempt)
                        .isInstanceOf(CoordinationException.class)
                        .hasMessageContainingAll(node, "format is 9", "upgrade");
                assertThat(refusal.getMessage())
                        .as(attempt)
                        .doesNotContain("delete the node", "not registered", "register it", "remove it first");
            }
            zkCli.write(node, readable);
        }
        execute(tried.command(), null);
    }

    @ParameterizedTest
    @ValueSource(strings = {CONFIG, OVERRIDE, PLAN, RECORD, FIRE, DELAYED, BACKFILL, ORDERS, "instance", "trigger"})
    void viewsShowTheOtherNodesAndNameTheOneInANewerFormat(String which) {
        Instant from = Instant.parse("2026-01-01T00:11:00Z");
        scheduleAndWedge(
                OVERRIDES,
                new Command.Freeze(null),
                new Command.Pause("audit"),
                new Command.Backfill(JOB, from, from.plus(Duration.ofMinutes(20))));
        execute(new Command.Trigger(JOB, Set.of(), Map.of(), Duration.ofHours(1)), "later");
        execute(new Command.Trigger(JOB), "asked");
        zkCli.write(FIRE, "{\"format\":4,\"trigger\":\"t\",\"left\":[\"0\"],\"outcomes\":{}}");
        String node = which.equals("instance")
                ? "/instances/" + instance
                : which.equals("trigger")
                        ? "/triggers/" + zkCli.children("/triggers").get(0)
                        : which;
        makeNewer(node);
        List<Supplier<Object>> views = List.of(
                operations::namespace,
                operations::jobs,
                () -> operations.activity(Set.of(JOB, "audit")),
                () -> operations.job(JOB),
                () -> operations.items(JOB, Set.of()),
                operations::backfills,
                operations::instances,
                () -> operations.forecast(cluster.now(), Duration.ofHours(1), 3));
        List<Supplier<Object>> viewsOfOneNode = List.of(
                () -> operations.explain(JOB, "0"),
                () -> operations.nextFires(JOB, 1),
                () -> operations.run(JOB, "asked"),
                operations::export);

        List<String> shown = new ArrayList<>();
        views.forEach(view -> shown.add(view.get().toString()));
        for (Supplier<Object> view : viewsOfOneNode) {
            Throwable refusal = catchThrowable(view::get);
            if (refusal != null) {
                assertThat(refusal).isInstanceOf(CoordinationException.class).hasMessageContaining(node);
                shown.add(refusal.getMessage());
            }
        }

        assertThat(shown).as("views that name the node").anySatisfy(view -> assertThat(view)
                .contains(node, "format is 9", "upgrade")
                .doesNotContain("delete the node"));
        assertThat(operations.jobs())
                .filteredOn(job -> job.job().equals("audit"))
                .extracting(JobSummary::state)
                .containsExactly(JobState.PAUSED);
        assertThat(operations.items("audit", Set.of())).hasSize(2).allMatch(item -> item.problem() == null);
    }

    @Test
    void purgeIsRefusedWhileAnInstanceInANewerFormatMayHostTheJob() {
        schedule(new Command.Remove(JOB));
        wedge();
        String node = "/instances/" + instance;
        makeNewer(node);
        Map<String, String> before = tree();

        assertThatThrownBy(() -> operations.execute(new Command.Purge(JOB), ANN))
                .isInstanceOf(CoordinationException.class)
                .hasMessageContainingAll(JOB, node, "format is 9", "upgrade");

        assertThat(tree()).isEqualTo(before);
    }

    @Test
    void stopAndCancellationOfARunInANewerFormatAreRefused() {
        scheduleAndWedge();
        execute(new Command.Trigger(JOB), "asked");
        String trigger = "/triggers/" + zkCli.children("/triggers").get(0);
        makeNewer(trigger);
        Map<String, String> before = tree();

        for (Command command :
                List.of(new Command.StopFire(JOB, null, "asked"), new Command.CancelTrigger(JOB, "asked"))) {
            assertThatThrownBy(() -> operations.execute(command, ANN))
                    .isInstanceOf(CoordinationException.class)
                    .hasMessageContainingAll(trigger, "format is 9", "upgrade");
        }

        assertThat(tree()).isEqualTo(before);
    }

    @Test
    void restoredSettingsKeepTheIdsOfRecentRequests() {
        scheduleAndWedge();
        execute(OVERRIDES, "before");
        String document = operations.export();
        execute(new Command.Pause(JOB), "pause-1");

        execute(new Command.Apply(document), null);

        assertThat(operations.execute(new Command.Pause(JOB), ANN.withRequestId("pause-1")))
                .isInstanceOf(CommandResult.Unchanged.class);
    }

    /** A repeated command is refused as well, because a newer format may have changed the meaning of the node. */
    @Test
    void triggerWithTheKeyOfATriggerInANewerFormatIsRefused() {
        scheduleAndWedge();
        Command later = new Command.Trigger(JOB, Set.of(), Map.of(), Duration.ofHours(1));
        execute(later, "later");
        makeNewer(DELAYED);
        Map<String, String> before = tree();

        assertThatThrownBy(() -> operations.execute(later, ANN.withRequestId("later")))
                .isInstanceOf(CoordinationException.class)
                .hasMessageContainingAll(DELAYED, "format is 9", "upgrade");

        assertThat(tree()).isEqualTo(before);
    }
}
