package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The inputs of decisions about a job under one plan. The engine reads them once per decision and passes them on, so
 * all parts of the decision see the same values.
 *
 * @param configuration the effective configuration
 * @param override the operators' override
 * @param plan the plan
 * @param planVersion version of the plan; each claim checks it
 * @param times fire times of the plan's current schedule and, for earlier times, of the replaced schedules
 * @param misfireThreshold shortest delay at which a late fire counts as misfired
 * @param onceListeners true if the job has once-listeners
 */
public record JobSnapshot(
        JobConfiguration configuration,
        JobOverride override,
        ShardingPlan plan,
        int planVersion,
        FireTimes times,
        Duration misfireThreshold,
        boolean onceListeners) {
    /** Duration below which a run is never unusually long. */
    public static final Duration LONG = Duration.ofHours(1);
    /**
     * Duration from which a run is unusually long, if the schedule has no next fire or the next fire depends on the end
     * of the run.
     */
    private static final Duration VERY_LONG = Duration.ofDays(1);

    /** Returns the snapshot with the same configuration under another override and plan. */
    public JobSnapshot with(JobOverride other, ShardingPlan next, int nextVersion) {
        return new JobSnapshot(configuration, other, next, nextVersion, times, misfireThreshold, onceListeners);
    }

    /** Returns the same snapshot for one step of the job, see {@link FireTimes#remembering}. */
    public JobSnapshot remembering() {
        return new JobSnapshot(
                configuration, override, plan, planVersion, times.remembering(), misfireThreshold, onceListeners);
    }

    /** Returns true if the job is paused. Scheduled fires of a paused job do not start. */
    public boolean paused() {
        return override.pauses(configuration);
    }

    /** Returns whether an operator has disabled an item. */
    public boolean disabled(String item) {
        return override.disabledItems().contains(item);
    }

    /**
     * Returns whether a run takes unusually long. A run of a streaming job is never unusually long.
     *
     * @param began start of the run
     */
    public boolean unusuallyLong(Instant began, Instant now) {
        // the first comparison is fast, and false for most runs
        return !began.plus(LONG).isAfter(now) && !unusuallyLongFrom(began).isAfter(now);
    }

    /**
     * Returns the time from which a run takes unusually long.
     *
     * @param began start of the run
     */
    public Instant unusuallyLongFrom(Instant began) {
        if (configuration.streaming()) {
            return Instant.MAX;
        }
        Instant next = (times.patient() ? Optional.<Instant>empty() : times.next(began)).orElse(began.plus(VERY_LONG));
        return next.isBefore(began.plus(LONG)) ? began.plus(LONG) : next;
    }
}
