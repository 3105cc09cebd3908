package io.ostraka.lite;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.TooManyTriggersException;
import java.util.Map;

/**
 * Hosts a job that runs on demand on this instance: the class that users of ElasticJob know, on top of {@link
 * ZooKeeperRegistry#oneOff}. Each instance that is to take part creates one, and any of them can {@link #execute}.
 * Thread-safe.
 */
public final class OneOffJobBootstrap implements AutoCloseable {
    private final JobHandle handle;

    /** Hosts a job whose class carries its configuration: see {@link JobConfiguration#of}. */
    public OneOffJobBootstrap(ZooKeeperRegistry registry, Job job) {
        this(registry, job, JobConfiguration.of(job.getClass()));
    }

    /** Hosts a job with its configuration, without options. */
    public OneOffJobBootstrap(ZooKeeperRegistry registry, Job job, JobConfiguration configuration) {
        this(registry, job, configuration, JobOptions.none());
    }

    /**
     * Registers the job and hosts it from now on. Returns at once: it waits neither for ZooKeeper nor for other instances.
     *
     * @throws JobConfigurationException when the configuration is not accepted or has a schedule, or this registry hosts the
     *     job already
     */
    public OneOffJobBootstrap(ZooKeeperRegistry registry, Job job, JobConfiguration configuration, JobOptions options) {
        this.handle = registry.oneOff(job, configuration, options);
    }

    /** Returns the handle of the job, for delayed triggers and for its state. */
    public JobHandle handle() {
        return handle;
    }

    /**
     * Runs every item once, now: see {@link JobHandle#trigger(Map)}.
     *
     * @throws TooManyTriggersException as {@link JobHandle#trigger(Map)} does
     */
    public JobRun execute(Map<String, String> parameters) {
        return handle.trigger(parameters);
    }

    /** Runs every item once, now, without parameters: see {@link JobHandle#trigger(Map)}. */
    public JobRun execute() {
        return handle.trigger();
    }

    /** Ends hosting the job on this instance: see {@link JobHandle#close}. */
    @Override
    public void close() {
        handle.close();
    }
}
