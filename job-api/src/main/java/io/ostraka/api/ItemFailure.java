package io.ostraka.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An item run that has failed. Immutable.
 *
 * @param jobName the job
 * @param item the item's key
 * @param runId the fire's identity, as {@link ShardingContext#runId()}
 * @param fireTime the fire's logical time
 * @param attempt which attempt at the fire it was, from 1
 * @param instanceId the instance that ran it
 * @param outcome how it ended
 * @param errorType the class of what was thrown
 * @param errorMessage its message; null when it has none
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
