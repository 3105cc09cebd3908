package io.ostraka.api.metrics;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import java.util.Map;

/**
 * What has happened of one job in this instance: counts since it began, times of the last minutes.
 *
 * @param waiting from when an item was found due to its code's first step
 * @param delay from the scheduled instant to the code's first step
 * @param running how long code ran
 * @param ended runs by how they ended; what hasn't happened is not there, here and below
 * @param retries tries after the first
 * @param fenced runs that counted for nothing, since their item had become another's
 * @param misfires fires that were run late, as the misfire policy says
 * @param placeless fires of items that found no place when they were due, and waited for one
 * @param skips fires that were left out
 * @param failovers fires run again that another run had begun
 */
public record JobMetrics(
        Distribution waiting,
        Distribution delay,
        Distribution running,
        Map<ItemOutcome, Long> ended,
        long retries,
        long fenced,
        long misfires,
        long placeless,
        Map<SkipReason, Long> skips,
        Map<FailoverReason, Long> failovers) {
    /** Copies the counts. */
    public JobMetrics {
        ended = Map.copyOf(ended);
        skips = Map.copyOf(skips);
        failovers = Map.copyOf(failovers);
    }

    /** Returns how many runs ended so. */
    public long ended(ItemOutcome outcome) {
        return ended.getOrDefault(outcome, 0L);
    }

    /** Returns how many fires were left out for a reason. */
    public long skips(SkipReason reason) {
        return skips.getOrDefault(reason, 0L);
    }

    /** Returns how many fires were run again for a reason. */
    public long failovers(FailoverReason reason) {
        return failovers.getOrDefault(reason, 0L);
    }
}
