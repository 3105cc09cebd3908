package io.ostraka.cli;

import io.ostraka.api.operations.Operation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A verb of the command line.
 *
 * @param path words of the verb, such as {@code job pause}
 * @param operation operation of the API that the verb executes; null if there is none
 * @param summary description in one sentence
 * @param parameters parameters, positions in their order
 * @param guard confirmation that the verb needs
 * @param isLasting true if the verb leaves a lasting state, such as a pause, whose reason the next person on call needs
 */
record Verb(
        String path,
        @Nullable Operation operation,
        String summary,
        List<Parameter> parameters,
        Guard guard,
        boolean isLasting) {
    boolean changes() {
        return operation != null && operation.changes();
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
