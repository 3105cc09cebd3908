package io.ostraka.api;

import java.time.Instant;
import java.util.Objects;

/**
 * Latest progress that an item's code has reported with {@link ShardingContext#progress(long, long, String)}.
 * Immutable.
 *
 * @param runId identity of the fire; see {@link ShardingContext#runId()}
 * @param attempt number of the attempt that made the report
 * @param done amount of work done, in units of the job's choice; 0 or more
 * @param total total amount of work, in the same units; 0 if unknown
 * @param message description for people, cut after 500 characters
 * @param at time of the report by ZooKeeper's clock
 */
public record Progress(String runId, int attempt, long done, long total, String message, Instant at) {
    private static final int MESSAGE_LENGTH = 500;

    /**
     * Cuts the message after 500 characters.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    public Progress {
        Objects.requireNonNull(runId, "runId");
        Objects.requireNonNull(at, "at");
        if (done < 0 || total < 0) {
            throw new IllegalArgumentException("progress is " + done + " of " + total
                    + "; accepted: 0 or more for both; use 0 for an unknown total");
        }
        if (message.length() > MESSAGE_LENGTH) {
            message = message.substring(0, MESSAGE_LENGTH);
        }
    }
}
