package io.ostraka.api.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of a namespace. Immutable.
 *
 * @param leader id of the leading instance, as far as this object knows; null if no instance leads
 * @param instances number of registered instances
 * @param jobs number of jobs, removed ones included
 * @param at time of this view by ZooKeeper's clock
 */
public record NamespaceDetails(@Nullable String leader, int instances, int jobs, Instant at) {}
