package io.ostraka.cli;

import io.ostraka.api.operations.Operation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A verb of the command line.
 *
 * @param path words of the verb, such as {@code job pause}
 * @param operation operation of the API that the verb executes; null if there is none
 * @param summary description in one sentence
 * @param parameters parameters, positions in their order
 * @param guard confirmation that the verb needs
 */
record Verb(
        String path,
        @Nullable Operation operation,
        String summary,
        List<Parameter> parameters,
        Guard guard) {
    private static final Set<Operation> LASTING = Set.of(
            Operation.PAUSE,
            Operation.REMOVE,
            Operation.SET_OVERRIDE,
            Operation.SILENCE_ALARMS,
            Operation.DISABLE_ITEM,
            Operation.DISABLE_INSTANCE,
            Operation.DRAIN_INSTANCE,
            Operation.FREEZE);

    boolean changes() {
        return operation != null && operation.changes();
    }

    /** Returns whether the verb leaves a lasting state, such as a pause, whose reason the next person on call needs. */
    boolean isLasting() {
        return operation != null && LASTING.contains(operation);
    }

    /** Returns whether the verb takes several jobs, by name or by a selection. */
    boolean isForManyJobs() {
        return parameters.stream().anyMatch(each -> each.member().equals(Parameter.JOB) && each.kind() == Kind.EACH);
    }

    /** Returns the parameter whose values are the targets of a command that is executed once for each target. */
    Optional<Parameter> each() {
        return parameters.stream().filter(each -> each.kind() == Kind.EACH).findFirst();
    }

    /** Returns the last segment of the command's route. */
    String route() {
        if (operation == null) {
            throw new IllegalStateException(path + " is no operation");
        }
        return operation.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
