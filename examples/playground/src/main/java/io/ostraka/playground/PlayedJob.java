package io.ostraka.playground;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobOptions;
import io.ostraka.api.Schedule;
import io.ostraka.lite.JobHandle;
import io.ostraka.lite.ZooKeeperRegistry;

/**
 * A job with its code.
 *
 * @param configuration definition of the job
 * @param code code of the job
 * @param options listeners of the job
 */
record PlayedJob(JobConfiguration configuration, Job code, JobOptions options) {
    PlayedJob(JobConfiguration configuration, Job code) {
        this(configuration, code, JobOptions.none());
    }

    /** Hosts the job on an instance. */
    JobHandle host(ZooKeeperRegistry registry) {
        return configuration.schedule() instanceof Schedule.OnDemand
                ? registry.oneOff(code, configuration, options)
                : registry.schedule(code, configuration, options);
    }
}
