package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Executes an operator's commands through a registry, for tests. */
public final class Operator {
    private Operator() {}

    /** Executes a command, and asserts that it has changed something or that nothing had to change. */
    public static CommandResult execute(ZooKeeperRegistry registry, Command command) {
        CommandResult result = registry.operations().execute(command, CommandOptions.by("test"));
        assertThat(result).isInstanceOfAny(CommandResult.Applied.class, CommandResult.Unchanged.class);
        return result;
    }

    /** Overrides a field of a job; null removes the override. */
    public static void override(ZooKeeperRegistry registry, String job, String field, @Nullable Object value) {
        execute(
                registry,
                value == null
                        ? new Command.RemoveOverride(job, Set.of(field))
                        : new Command.SetOverride(job, field, value));
    }
}
