package io.ostraka.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A failed run of an item. Immutable.
 *
 * @param jobName name of the job
 * @param item key of the item
 * @param runId identity of the fire; see {@link ShardingContext#runId()}
 * @param fireTime logical time of the fire; see {@link ShardingContext#fireTime()}
 * @param attempt number of the last attempt at the fire; the first attempt has the number 1
 * @param instanceId id of the instance that ran the item
 * @param outcome {@link ItemOutcome#FAILED} or {@link ItemOutcome#TIMED_OUT}
 * @param errorType class name of the exception
 * @param errorMessage message of the exception; null if it has none
 */
public record ItemFailure(
        String jobName,
        String item,
        String runId,
        Instant fireTime,
        int attempt,
        String instanceId,
        ItemOutcome outcome,
        String errorType,
        @Nullable String errorMessage) {}
