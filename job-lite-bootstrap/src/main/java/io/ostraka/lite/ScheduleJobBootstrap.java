package io.ostraka.lite;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;

/** Puts a job with a schedule on this instance. Thread-safe. */
public final class ScheduleJobBootstrap implements AutoCloseable {
    private final ZookeeperRegistry registry;
    private final Job job;
    private final JobConfiguration configuration;

    /** Takes a job and its configuration; nothing happens before {@link #schedule}. */
    public ScheduleJobBootstrap(ZookeeperRegistry registry, Job job, JobConfiguration configuration) {
        this.registry = registry;
        this.job = job;
        this.configuration = configuration;
    }

    /** The same with the configuration that the job's class carries. */
    public ScheduleJobBootstrap(ZookeeperRegistry registry, Job job) {
        this(registry, job, JobConfiguration.of(job.getClass()));
    }

    /**
     * Registers the job and hosts it from now on. Returns at once: it waits neither for ZooKeeper nor for an election nor
     * for other instances.
     *
     * @throws JobConfigurationException when the configuration can't be accepted, or this registry hosts the job already
     */
    public void schedule() {
        registry.engine().register(job, configuration);
    }

    /**
     * Ends hosting the job on this instance, as {@link ZookeeperRegistry#close} does for all: other instances go on with
     * it. Waits for running items, up to the job's grace.
     */
    @Override
    public void close() {
        registry.engine().unregister(configuration.jobName());
    }
}
