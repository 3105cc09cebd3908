package io.ostraka.api.operations;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * State of a namespace. Immutable.
 *
 * @param leader id of the leading instance, as far as this object knows; null if no instance leads
 * @param instances number of registered instances
 * @param jobs number of jobs, removed ones included
 * @param frozen the command that has frozen the namespace; null if it is not frozen
 * @param drained the commands that have drained instances, by the name, id or host that they named; unmodifiable
 * @param version version of these orders, for {@link CommandOptions#expectedVersion}; 0 if no order was ever given
 * @param problem description of unreadable nodes of these orders and of instances; null if all are readable
 * @param at time of this view by ZooKeeper's clock, as this client estimates it. A client that has written nothing yet
 *     uses the clock of its host
 */
public record NamespaceDetails(
        @Nullable String leader,
        int instances,
        int jobs,
        @Nullable Change frozen,
        Map<String, Change> drained,
        long version,
        @Nullable String problem,
        Instant at) {
    /** Copies the drained instances. */
    public NamespaceDetails {
        drained = Collections.unmodifiableMap(new TreeMap<>(drained));
    }
}
