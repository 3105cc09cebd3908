package io.ostraka.lite;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.TooManyTriggersException;
import java.util.Map;

/**
 * Hosts a job without a schedule on this instance; the job runs when it is triggered. Create a bootstrap on each
 * instance that should run items of the job; each of these instances can {@link #execute} the job. This class has the
 * name and the methods of ElasticJob's class and delegates to {@link ZooKeeperRegistry#oneOff}. Thread-safe.
 */
public final class OneOffJobBootstrap implements AutoCloseable {
    private final JobHandle handle;

    /** Hosts a job with the configuration from the annotation of its class: see {@link JobConfiguration#of}. */
    public OneOffJobBootstrap(ZooKeeperRegistry registry, Job job) {
        this(registry, job, JobConfiguration.of(job.getClass()));
    }

    /** Hosts a job with its configuration, without options. */
    public OneOffJobBootstrap(ZooKeeperRegistry registry, Job job, JobConfiguration configuration) {
        this(registry, job, configuration, JobOptions.none());
    }

    /**
     * Registers the job and hosts it until {@link #close}. Returns at once, without waiting for ZooKeeper or other
     * instances.
     *
     * @throws JobConfigurationException if the configuration is not accepted or has a schedule, or if this registry
     *     already hosts the job
     * @throws io.ostraka.api.CoordinationException if the registry is closed
     */
    public OneOffJobBootstrap(ZooKeeperRegistry registry, Job job, JobConfiguration configuration, JobOptions options) {
        this.handle = registry.oneOff(job, configuration, options);
    }

    /** Returns the handle of the job, for example for delayed triggers. */
    public JobHandle handle() {
        return handle;
    }

    /**
     * Runs every item once, now. See {@link JobHandle#trigger(Map)}.
     *
     * @throws TooManyTriggersException under the conditions of {@link JobHandle#trigger(Map)}
     */
    public JobRun execute(Map<String, String> parameters) {
        return handle.trigger(parameters);
    }

    /** Runs every item once, now, without parameters. See {@link JobHandle#trigger(Map)}. */
    public JobRun execute() {
        return handle.trigger();
    }

    /** Stops hosting the job on this instance. See {@link JobHandle#close}. */
    @Override
    public void close() {
        handle.close();
    }
}
