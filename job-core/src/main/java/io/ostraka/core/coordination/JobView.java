package io.ostraka.core.coordination;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a job that decide for all its items, as read one after the other. A part that can't be read is reported
 * in {@code problem} and missing here, so that whoever has an earlier one keeps it.
 *
 * @param name the job
 * @param definition what code registered; null if missing or unreadable
 * @param override what an operator changed; null if there is none or it is unreadable
 * @param plan the plan; null if there is none yet or it is unreadable
 * @param problem what couldn't be read and why; null if all could
 */
public record JobView(
        String name,
        @Nullable Versioned<JobConfiguration> definition,
        @Nullable Versioned<JobOverride> override,
        @Nullable Versioned<ShardingPlan> plan,
        @Nullable String problem) {
    /** Returns the override's values, or none. */
    public JobOverride overrideOrNone() {
        return override == null ? JobOverride.NONE : override.value();
    }
}
