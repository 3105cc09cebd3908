package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.PastRun;
import io.ostraka.history.row.AuditEntry;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
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
                        repeated.put((Command.RerunItems) arguments[0], (PastRun) arguments[1]);
                        return new CommandResult.Applied(0, "again", "runs again");
                    }
                    assertThat(method.getName()).isEqualTo("execute");
                    executed.add((CommandOptions) arguments[1]);
                    return result.apply((Command) arguments[0]);
                });
        return new AuditedOperations(plain, "cli", "OPERATOR", (job, step) -> steps.add(step), runs);
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
        for (Command each : List.of(new Command.SetOverride("settle", "jobParameter", "4711"), new Command.Apply("x"))) {
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
