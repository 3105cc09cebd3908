package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.time.Duration;

/**
 * The inputs of decisions about a job under one plan. Read once, then passed down.
 *
 * @param configuration the effective configuration
 * @param override the operators' override
 * @param plan the plan
 * @param planVersion version of the plan, which claims check
 * @param times fires of the plan: those of each schedule in its own time
 * @param misfireThreshold age from which a fire is misfired
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

    /** Returns whether scheduled fires wait. */
    public boolean paused() {
        return override.pauses(configuration);
    }

    /** Returns whether an operator has disabled an item. */
    public boolean disabled(String item) {
        return override.disabledItems().contains(item);
    }
}
