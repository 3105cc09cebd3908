package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;

/**
 * A job as an application registers it.
 *
 * @param configuration the configuration
 * @param onceListeners whether the end of every fire must be known, because the job was registered with an {@link
 *     io.ostraka.api.OnceListener}
 */
public record Definition(JobConfiguration configuration, boolean onceListeners) {
    /** Refuses a once-listener of a job with items that fire at different instants. */
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
     * Returns the configuration with an operator's override applied.
     *
     * @throws JobConfigurationException if they make no valid configuration together
     */
    public JobConfiguration effective(JobOverride override) {
        return new Definition(override.applyTo(configuration), onceListeners).configuration();
    }

    /** Returns the job's name. */
    public String jobName() {
        return configuration.jobName();
    }

    /** Returns the revision; a lower revision never replaces a higher one. */
    public long revision() {
        return configuration.revision();
    }

    @Override
    public String toString() {
        return configuration + (onceListeners ? " with a once-listener" : "");
    }
}
