package io.ostraka.api.event;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The leader has written a new plan for a job. The plan assigns the job's items to instances.
 *
 * @param job name of the job
 * @param version version of the plan's node
 * @param incarnation number of the set of item records to which the plan applies; see {@link Claim}
 * @param shardingTotalCount number of items; 0 after the job was removed
 * @param closed true while the item count is changing; no new fire begins until the change is complete
 * @param items number of items by instance id; unmodifiable
 * @param moved number of items whose owner differs from the previous plan; 0 for the first plan
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
