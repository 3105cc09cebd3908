package io.ostraka.lite;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import org.jspecify.annotations.Nullable;

/**
 * Hosts a job with a schedule on this instance. This class has the name and the methods of ElasticJob's class and
 * delegates to {@link ZooKeeperRegistry#schedule}. Thread-safe.
 */
public final class ScheduleJobBootstrap implements AutoCloseable {
    private final ZooKeeperRegistry registry;
    private final Job job;
    private final JobConfiguration configuration;
    private final JobOptions options;
    private volatile @Nullable JobHandle handle;

    /**
     * Creates a bootstrap with the configuration from the annotation of the job's class: see {@link
     * JobConfiguration#of}.
     */
    public ScheduleJobBootstrap(ZooKeeperRegistry registry, Job job) {
        this(registry, job, JobConfiguration.of(job.getClass()));
    }

    /** Creates a bootstrap with a configuration, without options. */
    public ScheduleJobBootstrap(ZooKeeperRegistry registry, Job job, JobConfiguration configuration) {
        this(registry, job, configuration, JobOptions.none());
    }

    /**
     * Creates a bootstrap with a configuration and options. {@link #schedule} starts hosting the job.
     *
     * @throws JobConfigurationException if the configuration has no schedule; use {@link OneOffJobBootstrap} for such a
     *     job
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
     * Registers the job and hosts it until {@link #close}. Returns at once, without waiting for ZooKeeper, an election
     * or other instances. {@link JobHandle#scheduled()} completes when the job has a plan.
     *
     * @throws JobConfigurationException if the configuration is not accepted, or if this registry already hosts the job
     * @throws io.ostraka.api.CoordinationException if the registry is closed
     */
    public JobHandle schedule() {
        JobHandle made = registry.schedule(job, configuration, options);
        handle = made;
        return made;
    }

    /** Stops hosting the job on this instance. See {@link JobHandle#close}. Does nothing before {@link #schedule}. */
    @Override
    public void close() {
        JobHandle made = handle;
        if (made != null) {
            made.close();
        }
    }
}
