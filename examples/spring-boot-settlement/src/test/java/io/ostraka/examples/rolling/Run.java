package io.ostraka.examples.rolling;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recorded attempt of an item's run.
 *
 * @param attempt number of the attempt at this fire of the item, from 1
 * @param token fencing token of the claim
 * @param pid id of the process
 * @param outcome {@link #COMPLETED}, a description of the failure, or null if the run has not ended
 */
record Run(String job, int item, Instant fire, int attempt, long token, long pid, @Nullable String outcome) {
    static final String COMPLETED = "completed";

    @Override
    public String toString() {
        return job + "[" + item + "] fire " + fire + " attempt " + attempt + " in process " + pid;
    }
}
