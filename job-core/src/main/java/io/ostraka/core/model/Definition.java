package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job as an application registers it.
 *
 * @param configuration the configuration
 * @param onceListeners true if the job was registered with an {@link io.ostraka.api.OnceListener}. ZooKeeper then
 *     stores the progress of each fire of the job
 */
public record Definition(JobConfiguration configuration, boolean onceListeners) {
    /** Longest time into the future for which fires can be skipped. */
    public static final Duration FURTHEST_SKIP = Duration.ofDays(366);

    /** Rejects a once-listener if each item of the job fires at its own instants, independently of the other items. */
    public Definition {
        Schedule schedule = configuration.schedule().unbounded();
        if (onceListeners
                && (schedule instanceof Schedule.FixedDelay
                        || schedule instanceof Schedule.Adaptive
                        || schedule instanceof Schedule.Continuous)) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "schedule",
                    configuration.schedule(),
                    "one by which all items fire at the same instants, because the job has a OnceListener: a cron expression, a"
                            + " fixed rate, once or on demand");
        }
    }

    /**
     * Returns the effective configuration: the registered one with an operator's override applied.
     *
     * @throws JobConfigurationException if the configuration is not valid with this override
     */
    public JobConfiguration effective(JobOverride override) {
        return new Definition(override.applyTo(configuration), onceListeners).configuration();
    }

    /**
     * Returns the configuration by which the job is planned and run: the effective one. If an override that removes the
     * job does not fit, returns the registered one, because a removal needs no valid override.
     *
     * @throws JobConfigurationException if the override does not fit and does not remove the job
     */
    public JobConfiguration inForce(JobOverride override) {
        try {
            return effective(override);
        } catch (JobConfigurationException e) {
            if (override.removed()) {
                return configuration;
            }
            throw e;
        }
    }

    /**
     * Checks a change of the override. A change of its switches alone is accepted even if the override does not fit the
     * definition, or will not fit it after one of its changes ends, so that such a job can be paused or removed.
     *
     * @param before the override before the change
     * @param after the override after the change
     * @param planned fence epoch of the plan; 0 if there is no plan
     * @param now current time on the server's clock
     * @throws JobConfigurationException if the configuration is not valid with the override, now or after one of its
     *     changes ends; if a new change has an invalid end time; if the fence epoch or {@code skipTo} would decrease;
     *     if {@code skipTo} is more than {@link #FURTHEST_SKIP} after now; or if fires of the schedule cannot be
     *     skipped
     */
    public void requireChange(JobOverride before, JobOverride after, int planned, Instant now) {
        if (JobOverride.SWITCHES.containsAll(JobOverride.changed(before, after))) {
            after.requireEnds(jobName(), before, now);
            return;
        }
        JobConfiguration effective = effective(after);
        after.requireEnds(jobName(), before, now);
        after.ends().values().forEach(end -> effective(after.endedAt(end)));
        if (!Objects.equals(before.fenceEpoch(), after.fenceEpoch())) {
            requireFenceEpoch(before, after, planned);
        }
        if (!Objects.equals(before.skipTo(), after.skipTo())) {
            requireSkipTo(before.skipTo(), after.skipTo(), effective.schedule(), now);
        }
    }

    private void requireFenceEpoch(JobOverride before, JobOverride after, int planned) {
        int least = Math.max(
                planned, Math.max(configuration.fenceEpoch(), Objects.requireNonNullElse(before.fenceEpoch(), 0)));
        Integer next = after.fenceEpoch();
        if (next == null && configuration.fenceEpoch() < least) {
            throw new JobConfigurationException(
                    jobName(),
                    "fenceEpoch",
                    configuration.fenceEpoch(),
                    "the definition's value only from " + least + " on, because fencing tokens must not decrease");
        }
        if (next != null && next <= least) {
            throw new JobConfigurationException(
                    jobName(),
                    "fenceEpoch",
                    next,
                    "more than the present " + least + ", because fencing tokens must not decrease");
        }
    }

    private void requireSkipTo(@Nullable Instant before, @Nullable Instant after, Schedule schedule, Instant now) {
        if (before != null && (after == null || after.isBefore(before))) {
            throw new JobConfigurationException(
                    jobName(), "skipTo", after, "a time after " + before + ", because skipped fires do not come back");
        }
        if (after != null && (after.isBefore(Instant.EPOCH) || after.isAfter(now.plus(FURTHEST_SKIP)))) {
            throw new JobConfigurationException(
                    jobName(),
                    "skipTo",
                    after,
                    "a time from 1970 to " + FURTHEST_SKIP.toDays() + " days after now, " + now
                            + ", because skipped fires do not come back");
        }
        if (!ShardingPlan.canSkip(schedule)) {
            throw new JobConfigurationException(
                    jobName(),
                    "skipTo",
                    after,
                    "none, because the schedule is " + schedule
                            + "; fires can be skipped of a cron expression, a fixed rate and once");
        }
    }

    public String jobName() {
        return configuration.jobName();
    }

    /** Returns the revision of the configuration. A definition never replaces a definition with a higher revision. */
    public long revision() {
        return configuration.revision();
    }

    @Override
    public String toString() {
        return configuration + (onceListeners ? " with a once-listener" : "");
    }
}
