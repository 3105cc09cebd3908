package io.ostraka.api.operations;

import org.jspecify.annotations.Nullable;

/**
 * A namespace in the list of all namespaces of an ensemble. Immutable.
 *
 * @param name name of the namespace
 * @param readable false if these credentials have no right to read the namespace. Its numbers are then 0
 * @param instances number of registered instances
 * @param jobs number of jobs, removed ones included
 * @param frozen true if the namespace is frozen
 * @param problem why the other values are missing or may be wrong: missing access rights, or an unreadable node; null if
 *     there is no problem
 */
public record NamespaceSummary(
        String name, boolean readable, int instances, int jobs, boolean frozen, @Nullable String problem) {}
