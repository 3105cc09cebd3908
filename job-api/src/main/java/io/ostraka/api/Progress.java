package io.ostraka.api;

import java.time.Instant;
import java.util.Objects;

/**
 * How far an item's run is, by its own account.
 *
 * @param runId the fire that it runs, as {@link ShardingContext#runId()}
 * @param attempt which attempt at it said so
 * @param done amount of work done, in units of the job's choice; 0 or more
 * @param total how much there is to do, in the same; 0 where that isn't known
 * @param message where it is, for people; at most 500 characters, what is longer is cut
 * @param at when it said so, by ZooKeeper's clock
 */
public record Progress(String runId, int attempt, long done, long total, String message, Instant at) {
    private static final int MESSAGE_LENGTH = 500;

    /**
     * Cuts the message.
     *
     * @throws IllegalArgumentException when a number is negative
     */
    public Progress {
        Objects.requireNonNull(runId, "runId");
        Objects.requireNonNull(at, "at");
        if (done < 0 || total < 0) {
            throw new IllegalArgumentException("progress is " + done + " of " + total
                    + "; accepted: 0 or more each, and 0 for a total that isn't known");
        }
        if (message.length() > MESSAGE_LENGTH) {
            message = message.substring(0, MESSAGE_LENGTH);
        }
    }
}
