package io.ostraka.api.event;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The leader has written another plan of a job.
 *
 * @param job name of the job
 * @param version version of the plan's node
 * @param incarnation number of the set of records that the plan's items have
 * @param shardingTotalCount number of items; 0 once the job is removed
 * @param closed true while a change of the item count is under way, and no new fire begins
 * @param items number of items by instance id; unmodifiable
 * @param moved number of items that another instance has now than under the plan before; 0 for the first plan
 * @param instanceId id of the leader
 * @param at time of the event
 */
public record PlanChanged(
        String job,
        int version,
        long incarnation,
        int shardingTotalCount,
        boolean closed,
        Map<String, Integer> items,
        int moved,
        String instanceId,
        Instant at)
        implements JobEvent {
    /** Copies the items. */
    public PlanChanged {
        items = Collections.unmodifiableMap(new TreeMap<>(items));
    }
}
