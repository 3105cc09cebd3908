package io.ostraka.console;

import io.ostraka.api.operations.Operations;
import org.jspecify.annotations.Nullable;

/**
 * Stores the commands of callers. A history can be this audit: pass {@code history::audited}. This interface does not
 * depend on the module of the history, so an application without a history does not need that module. Thread-safe.
 */
@FunctionalInterface
public interface CommandAudit {
    /** Stores nothing. */
    CommandAudit NONE = (operations, origin, role) -> operations;

    /**
     * Returns operations that store each command before it is executed, and its outcome.
     *
     * @param operations operations that execute the commands
     * @param origin way of authentication and address of the client
     * @param role role of the caller
     */
    Operations audited(Operations operations, String origin, String role);

    /**
     * Returns operations that store each command of a caller.
     *
     * @param client address of the client
     * @param job name of the job that the command names; null if it names none
     */
    default Operations audited(
            Operations operations, Caller caller, String client, String namespace, @Nullable String job) {
        return audited(operations, caller.origin() + " " + client, String.valueOf(caller.role(namespace, job)));
    }
}
