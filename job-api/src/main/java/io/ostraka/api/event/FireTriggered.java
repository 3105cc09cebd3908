package io.ostraka.api.event;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An instance has claimed an item of a fire that a manual trigger has caused. Published for each claimed item, before
 * its {@link ItemClaimed} event.
 *
 * @param job name of the job
 * @param runId identity of the fire
 * @param acceptedAt time at which ZooKeeper accepted the trigger, by ZooKeeper's clock
 * @param fireTime fire time that the job's code receives
 * @param shardingTotalCount number of items that the fire is split into
 * @param requestedBy person or program that requested the run; null if unknown
 * @param reason reason for the request; null if unknown
 * @param rerunOf run id of the fire that this run repeats; null if it repeats none
 * @param parameters parameters of the run, which may be secret; unmodifiable
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record FireTriggered(
        String job,
        String runId,
        Instant acceptedAt,
        Instant fireTime,
        int shardingTotalCount,
        @Nullable String requestedBy,
        @Nullable String reason,
        @Nullable String rerunOf,
        Map<String, String> parameters,
        String instanceId,
        Instant at)
        implements JobEvent {
    /** Copies the parameters. */
    public FireTriggered {
        parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
    }
}
