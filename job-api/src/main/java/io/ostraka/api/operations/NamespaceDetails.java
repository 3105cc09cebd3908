package io.ostraka.api.operations;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * State of a namespace. Immutable.
 *
 * @param leader id of the leader; null if no registered instance leads
 * @param instances number of registered instances
 * @param jobs number of jobs, including removed jobs
 * @param frozen the command that has frozen the namespace; null if it is not frozen
 * @param drained the commands that have drained instances, by the name, id or host in the command; unmodifiable
 * @param version version of the node that contains the freeze and the drains, for {@link
 *     CommandOptions#expectedVersion}; 0 if the node does not exist
 * @param problem description of unreadable nodes: the node with the freeze and the drains, and the nodes of instances;
 *     null if all are readable
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
