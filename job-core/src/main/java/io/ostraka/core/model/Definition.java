package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;

/**
 * A job as an application registers it.
 *
 * @param configuration the configuration
 * @param onceListeners true if the job was registered with an {@link io.ostraka.api.OnceListener}. ZooKeeper then
 *     stores the progress of each fire of the job
 */
public record Definition(JobConfiguration configuration, boolean onceListeners) {
    /** Rejects a once-listener if the items of the job fire independently of each other, each at its own instants. */
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
