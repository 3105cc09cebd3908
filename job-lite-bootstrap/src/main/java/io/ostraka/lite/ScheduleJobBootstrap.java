package io.ostraka.lite;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import org.jspecify.annotations.Nullable;

/**
 * Schedules a job on this instance: the class that users of ElasticJob know, on top of {@link ZooKeeperRegistry#schedule}.
 * Thread-safe.
 */
public final class ScheduleJobBootstrap implements AutoCloseable {
    private final ZooKeeperRegistry registry;
    private final Job job;
    private final JobConfiguration configuration;
    private final JobOptions options;
    private volatile @Nullable JobHandle handle;

    /** Takes a job whose class carries its configuration: see {@link JobConfiguration#of}. */
    public ScheduleJobBootstrap(ZooKeeperRegistry registry, Job job) {
        this(registry, job, JobConfiguration.of(job.getClass()));
    }

    /** Takes a job and its configuration, without options. */
    public ScheduleJobBootstrap(ZooKeeperRegistry registry, Job job, JobConfiguration configuration) {
        this(registry, job, configuration, JobOptions.none());
    }

    /**
     * Takes a job, its configuration and its options. The job is hosted from {@link #schedule} on.
     *
     * @throws JobConfigurationException when the configuration has no schedule: such a job is for {@link OneOffJobBootstrap}
     */
    public ScheduleJobBootstrap(
            ZooKeeperRegistry registry, Job job, JobConfiguration configuration, JobOptions options) {
        ZooKeeperRegistry.requireSchedule(configuration);
        this.registry = registry;
        this.job = job;
        this.configuration = configuration;
        this.options = options;
    }

    /**
     * Registers the job and hosts it from now on. Returns at once: it waits neither for ZooKeeper nor for an election nor for
     * other instances; {@link JobHandle#scheduled()} tells when the job has a plan.
     *
     * @throws JobConfigurationException when the configuration is not accepted, or this registry hosts the job already
     */
    public JobHandle schedule() {
        JobHandle made = registry.schedule(job, configuration, options);
        handle = made;
        return made;
    }

    /** Ends hosting the job on this instance: see {@link JobHandle#close}. Does nothing before {@link #schedule}. */
    @Override
    public void close() {
        JobHandle made = handle;
        if (made != null) {
            made.close();
        }
    }
}
