package io.ostraka.api.metrics;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import java.util.Map;

/**
 * Figures of one job in this instance. The three {@link Distribution}s cover the current minute and the four minutes
 * before it. The counts cover the whole time since the instance started. {@link Status.Hosted#tasks} contains the
 * figures of child tasks. Immutable.
 *
 * @param waiting time until the code of an item started, counted from the moment at which this instance found that the
 *     item was due
 * @param delay time from the scheduled instant to the start of the code
 * @param running run time of the code
 * @param ended number of ended runs by outcome. All maps of this record are unmodifiable and contain only counts above
 *     0
 * @param retries number of retries, which are all attempts after the first attempt of a run
 * @param fenced number of runs that lost their item to another instance
 * @param misfires number of fires that ran late because of the misfire policy
 * @param slotWaits number of times that a due item waited because no slot was free, counted once for each fire of the
 *     item
 * @param skips number of skipped fires by reason
 * @param failovers number of interrupted fires that this instance ran again, by reason
 */
public record JobMetrics(
        Distribution waiting,
        Distribution delay,
        Distribution running,
        Map<ItemOutcome, Long> ended,
        long retries,
        long fenced,
        long misfires,
        long slotWaits,
        Map<SkipReason, Long> skips,
        Map<FailoverReason, Long> failovers) {
    /** Copies the maps. */
    public JobMetrics {
        ended = Map.copyOf(ended);
        skips = Map.copyOf(skips);
        failovers = Map.copyOf(failovers);
    }

    /** Returns the number of runs with the given outcome. */
    public long ended(ItemOutcome outcome) {
        return ended.getOrDefault(outcome, 0L);
    }

    /** Returns the number of fires that were skipped for the given reason. */
    public long skips(SkipReason reason) {
        return skips.getOrDefault(reason, 0L);
    }

    /** Returns the number of fires that this instance ran again for the given reason. */
    public long failovers(FailoverReason reason) {
        return failovers.getOrDefault(reason, 0L);
    }
}
