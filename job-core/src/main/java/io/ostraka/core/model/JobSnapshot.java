package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.time.Duration;

/**
 * Everything that a decision about a job is made from, as of one plan. Read once, then passed down.
 *
 * @param configuration the effective configuration
 * @param override the operator's wishes
 * @param plan the plan
 * @param planVersion the version that claims check
 * @param times what fires by the plan: by each schedule in its own time
 * @param misfireThreshold the age from which a fire is misfired
 * @param onceListeners whether the end of every fire must be known
 */
public record JobSnapshot(
        JobConfiguration configuration,
        JobOverride override,
        ShardingPlan plan,
        int planVersion,
        FireTimes times,
        Duration misfireThreshold,
        boolean onceListeners) {
    /** Returns the same snapshot under another plan. */
    public JobSnapshot with(ShardingPlan next, int nextVersion) {
        return new JobSnapshot(configuration, override, next, nextVersion, times, misfireThreshold, onceListeners);
    }

    /** Tells whether scheduled fires wait. */
    public boolean paused() {
        return override.pauses(configuration);
    }

    /** Tells whether an operator has disabled an item. */
    public boolean disabled(String item) {
        return override.disabledItems().contains(item);
    }
}
