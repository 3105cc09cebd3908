package io.ostraka.api.event;

import io.ostraka.api.JobConfiguration;
import java.time.Instant;

/**
 * An instance that hosts a job applies a configuration from now on: after it has begun to host the job, and after each
 * change. The events of the job's runs on this instance that follow belong to this configuration.
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
