package io.ostraka.api.operations;

import org.jspecify.annotations.Nullable;

/**
 * A namespace in the list of all namespaces of an ensemble. Immutable.
 *
 * @param name name of the namespace
 * @param readable false if the client's credentials have no right to read the namespace; the numbers are then 0
 * @param instances number of registered instances
 * @param jobs number of jobs, including removed jobs
 * @param frozen true if the namespace is frozen
 * @param problem explanation if the other values are missing or may be wrong, because of missing access rights or an
 *     unreadable node; null if there is no problem
 */
public record NamespaceSummary(
        String name, boolean readable, int instances, int jobs, boolean frozen, @Nullable String problem) {}
