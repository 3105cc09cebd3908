package io.ostraka.api.event;

import io.ostraka.api.JobConfiguration;
import java.time.Instant;

/**
 * An instance has put a configuration into effect for a job that it hosts. Published when the instance begins to host
 * the job, and after each change of the configuration. This configuration applies to the later events of the job's runs
 * on this instance.
 *
 * @param configuration effective configuration of the job: its definition with an operator's overrides
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record JobConfigured(JobConfiguration configuration, String instanceId, Instant at) implements JobEvent {
    @Override
    public String job() {
        return configuration.jobName();
    }
}
