package io.ostraka.console;

import io.ostraka.api.operations.Operations;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The namespaces that the API shows. The configuration names them; a request can only choose among them. Thread-safe. */
public interface Namespaces {
    /** Returns the names, sorted. */
    List<String> names();

    /**
     * Returns the operations of a namespace.
     *
     * @return empty if the configuration does not name the namespace
     */
    Optional<Operations> operations(String namespace);

    /**
     * Returns operations that store each command in the audit.
     *
     * @param caller the caller, for the role and the way of authentication
     * @param client address of the client
     * @param job name of the job that the command names; null if it names none
     */
    default Optional<Operations> audited(String namespace, Caller caller, String client, @Nullable String job) {
        return operations(namespace);
    }
}
