package io.ostraka.api;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * A fire of a job, as a listener receives it. For a {@link JobListener} it describes the items of one instance, and for
 * a {@link OnceListener} the items of all instances. Immutable.
 *
 * @param jobName name of the job
 * @param runId identity of the fire; see {@link ShardingContext#runId()}
 * @param fireTime logical time of the fire; see {@link ShardingContext#fireTime()}
 * @param instanceId id of the instance that calls the listener
 * @param shardingTotalCount number of items that the fire is split into, across all instances; always 1 with {@link
 *     Scope#BROADCAST} and {@link Scope#ONE_PER_ZONE}
 * @param items keys of the items. A {@code JobListener} receives the items of its own instance: before the fire only
 *     the items that start first, and after the fire all items. A {@code OnceListener} receives the items of all
 *     instances; before the fire, items that have already ended are not included. Unmodifiable
 * @param jobParameter parameter configured for the job; empty text if there is none
 * @param triggerParameters parameters of the manual trigger; empty for a scheduled fire. Unmodifiable
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
