package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.PastRun;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.testkit.TestCluster;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class AuditedOperationsTest {
    private final List<AuditEntry> steps = new ArrayList<>();
    private final List<CommandOptions> executed = new ArrayList<>();
    private final Map<Command.RerunItems, PastRun> repeated = new HashMap<>();
    private AuditedOperations.Runs runs = (job, runId) -> Optional.empty();

    /** Operations whose commands have this result. */
    private Operations audited(Function<Command, CommandResult> result) {
        Operations plain = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("rerun")) {
                        if (((Command.RerunItems) arguments[0]).items().isEmpty()) {
                            throw new JobConfigurationException("settle", "runId", "r-1", "the latest fire of items");
                        }
                        repeated.put((Command.RerunItems) arguments[0], (PastRun) arguments[1]);
                        return new CommandResult.Applied(0, "again", "runs again");
                    }
                    assertThat(method.getName()).isEqualTo("execute");
                    executed.add((CommandOptions) arguments[1]);
                    return result.apply((Command) arguments[0]);
                });
        return new AuditedOperations(plain, "cli", "OPERATOR", Clock.systemUTC(), (job, step) -> steps.add(step), runs);
    }

    /** Operations that refuse to run items again, because the records no longer have the run. */
    private Operations withoutTheRun() {
        return audited(command -> {
            throw new JobConfigurationException("settle", "runId", "r-1", "the latest fire of items");
        });
    }

    @Test
    void aRunThatZooKeeperNoLongerHasIsFoundInTheHistory() {
        PastRun past = new PastRun(Instant.EPOCH, 3, Map.of("day", "monday"));
        runs = (job, runId) -> Optional.of(new Repeatable(past, Set.of("2")));
        Map<String, String> changed = Map.of("mode", "4711");

        withoutTheRun().execute(new Command.RerunItems("settle", "r-1", Set.of(), changed), CommandOptions.by("ada"));
        withoutTheRun().execute(new Command.RerunItems("settle", "r-1", Set.of("1")), CommandOptions.by("ada"));

        assertThat(repeated)
                .isEqualTo(Map.of(
                        new Command.RerunItems("settle", "r-1", Set.of("2"), changed), past,
                        new Command.RerunItems("settle", "r-1", Set.of("1")), past));
        assertThat(steps)
                .extracting(AuditEntry::outcome)
                .containsExactly(null, "APPLIED: runs again", null, "APPLIED: runs again");
        assertThat(steps.get(0).detail()).contains("r-1", "mode").doesNotContain("4711");
    }

    @Test
    void aRunThatTheHistoryDoesNotHaveEitherIsRefused() {
        runs = (job, runId) -> Optional.empty();
        Command rerun = new Command.RerunItems("settle", "r-1", Set.of());
        assertThatThrownBy(() -> withoutTheRun().execute(rerun, CommandOptions.by("ada")))
                .isInstanceOf(JobConfigurationException.class);

        runs = (job, runId) -> Optional.of(new Repeatable(new PastRun(Instant.EPOCH, 3, Map.of()), Set.of()));
        assertThatThrownBy(() -> withoutTheRun().execute(rerun, CommandOptions.by("ada")))
                .as("no item failed")
                .isInstanceOf(JobConfigurationException.class);

        runs = (job, runId) -> {
            throw new SQLException("connection refused");
        };
        assertThatThrownBy(() -> withoutTheRun().execute(rerun, CommandOptions.by("ada")))
                .isInstanceOf(CoordinationException.class)
                .hasMessageContainingAll("r-1", "could not be read");
    }

    /** The records of 100 items have no room for them. */
    @Test
    void aRunAgainWithOneParameterKeepsTheLongOnesOfTheHistory() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        TestCluster cluster = new TestCluster(1, start, 1);
        Set<Map<String, String>> seen = new HashSet<>();
        cluster.schedule(
                (SimpleJob) context -> {
                    seen.add(context.triggerParameters());
                    throw new IllegalStateException("no");
                },
                JobConfiguration.newBuilder("job", 100)
                        .schedule(Schedule.onDemand())
                        .build(),
                JobOptions.none());
        String table = "t".repeat(3_000);
        Map<String, String> parameters = Map.of("table", table, "mode", "normal");
        Command trigger = new Command.Trigger("job", Set.of(), parameters, Duration.ZERO);
        CommandOptions options = CommandOptions.by("ann");
        String run = ((CommandResult.Applied) cluster.operations().execute(trigger, options)).created();
        cluster.advance(Duration.ofMinutes(2));
        seen.clear();

        runs = (job, runId) -> Optional.of(new Repeatable(new PastRun(start, 100, parameters), Set.of("0")));
        Command rerun = new Command.RerunItems("job", run, Set.of(), Map.of("mode", "correction"));
        new AuditedOperations(
                        cluster.operations(),
                        "cli",
                        "OPERATOR",
                        Clock.systemUTC(),
                        (job, step) -> steps.add(step),
                        runs)
                .execute(rerun, options);
        cluster.advance(Duration.ofMinutes(2));
        assertThat(seen).containsExactly(Map.of("table", table, "mode", "correction"));
    }

    /** The records may not have the others, which would then be lost without a word. */
    @Test
    void aRunAgainWithParametersWaitsForTheHistory() {
        runs = (job, runId) -> {
            throw new SQLException("connection refused");
        };
        Operations operations = audited(command -> new CommandResult.Applied(0, "again", "runs again"));
        CommandOptions options = CommandOptions.by("ada");
        Command changed = new Command.RerunItems("settle", "r-1", Set.of("1"), Map.of("mode", "4711"));
        assertThatThrownBy(() -> operations.execute(changed, options))
                .isInstanceOf(CoordinationException.class)
                .hasMessageContainingAll("settle", "r-1", "could not be read");
        operations.execute(new Command.RerunItems("settle", "r-1", Set.of("1")), options);
        assertThat(executed).hasSize(1);
    }

    @Test
    void aCommandHasAStepBeforeAndAStepAfterIt() {
        Operations operations = audited(command -> {
            assertThat(steps).hasSize(1);
            return new CommandResult.Applied(7, "", "the job is paused");
        });
        operations.execute(new Command.Pause("settle"), CommandOptions.by("ada").because("it fails"));
        assertThat(steps).extracting(AuditEntry::outcome).containsExactly(null, "APPLIED: the job is paused");
        assertThat(steps).allSatisfy(step -> {
            assertThat(step.operation()).isEqualTo("PAUSE");
            assertThat(step.target()).isEqualTo("settle");
            assertThat(step.actor()).isEqualTo("ada");
            assertThat(step.reason()).isEqualTo("it fails");
            assertThat(step.requestId()).isEqualTo(executed.get(0).requestId()).isNotEmpty();
        });
    }

    @Test
    void aRefusedCommandHasTheRefusalAsItsOutcome() {
        Operations operations = audited(command -> {
            throw new CoordinationException("no such job");
        });
        assertThatThrownBy(() -> operations.execute(new Command.Pause("settle"), CommandOptions.by("ada")))
                .hasMessage("no such job");
        assertThat(steps).extracting(AuditEntry::outcome).containsExactly(null, "REFUSED: no such job");
    }

    @Test
    void valuesThatMayBeSecretAreNotStored() {
        Operations operations = audited(command -> new CommandResult.Unknown("id", "no answer"));
        CommandOptions options = CommandOptions.by("ada").withRequestId("id");
        operations.execute(
                new Command.Trigger("settle", Set.of("1"), Map.of("account", "4711"), Duration.ZERO), options);
        operations.execute(new Command.RerunItems("settle", "r-1", Set.of("1"), Map.of("account", "4711")), options);
        operations.execute(new Command.SetOverride("settle", "jobParameter", "4711"), options);
        operations.execute(new Command.Apply("{4711}"), options);
        assertThat(steps).hasSize(8).allSatisfy(step -> {
            assertThat(step.toString()).doesNotContain("4711");
            assertThat(step.requestId()).isEqualTo("id");
        });
        assertThat(steps.get(0).detail()).contains("account");
    }

    @Test
    void aRefusedValueIsNotStored() {
        Operations operations = audited(command -> {
            if (command instanceof Command.Apply) {
                throw new IllegalStateException("no value: 4711");
            }
            throw new JobConfigurationException("settle", "jobParameter", "4711", "a text");
        });
        CommandOptions options = CommandOptions.by("ada");
        for (Command each :
                List.of(new Command.SetOverride("settle", "jobParameter", "4711"), new Command.Apply("x"))) {
            assertThatThrownBy(() -> operations.execute(each, options)).hasMessageContaining("4711");
        }
        assertThat(steps)
                .extracting(AuditEntry::outcome)
                .containsExactly(
                        null,
                        "REFUSED: the value of jobParameter is not accepted",
                        null,
                        "REFUSED: IllegalStateException");
    }

    @Test
    void aDryRunIsNotStored() {
        audited(command -> new CommandResult.Preview(0, List.of()))
                .execute(new Command.Pause("settle"), CommandOptions.by("ada").asDryRun());
        assertThat(steps).isEmpty();
    }
}
