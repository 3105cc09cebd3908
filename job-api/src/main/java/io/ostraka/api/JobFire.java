package io.ostraka.api;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * The part that one instance has in a fire of a job; or, for a {@link OnceListener}, the whole fire. Immutable.
 *
 * @param jobName the job
 * @param runId the fire's identity, as {@link ShardingContext#runId()}
 * @param fireTime the fire's logical time
 * @param instanceId the instance that tells of it
 * @param shardingTotalCount how many items the fire is split into, on all instances; 1 where {@link Scope
 *     items} have no numbers
 * @param items the keys of the instance's items of it: before it, of those that start first; after it, of all.
 *     Of a whole fire those of all instances
 * @param jobParameter the parameter configured for the job; empty text when there is none
 * @param triggerParameters what a manual trigger was given; empty for a scheduled fire
 */
public record JobFire(
        String jobName,
        String runId,
        Instant fireTime,
        String instanceId,
        int shardingTotalCount,
        Set<String> items,
        String jobParameter,
        Map<String, String> triggerParameters) {
    /** Copies items and parameters. */
    public JobFire {
        items = Set.copyOf(items);
        triggerParameters = Map.copyOf(triggerParameters);
    }
}
