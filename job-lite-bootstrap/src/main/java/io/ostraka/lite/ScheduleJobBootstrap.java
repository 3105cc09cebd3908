package io.ostraka.lite;

import io.ostraka.api.FireListener;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.Schedule;
import java.util.List;

/** Puts a job with a schedule on this instance. Thread-safe. */
public final class ScheduleJobBootstrap implements AutoCloseable {
    private final ZookeeperRegistry registry;
    private final Job job;
    private final JobConfiguration configuration;
    private final List<RunInterceptor> interceptors;
    private final List<FireListener> listeners;

    /**
     * Takes a job and its configuration; nothing happens before {@link #schedule}.
     *
     * @throws JobConfigurationException when the configuration has no schedule: such a job is for {@link OneOffJobBootstrap}
     */
    public ScheduleJobBootstrap(ZookeeperRegistry registry, Job job, JobConfiguration configuration) {
        this(registry, job, configuration, List.of(), List.of());
    }

    /**
     * The same with what stands around the job's runs, and who is told of its fires.
     *
     * @param interceptors inside of those that the registry puts around the runs of all jobs
     * @param listeners besides those that the registry tells of all jobs; {@link io.ostraka.api.OnceListener} among them
     * @throws JobConfigurationException as above
     */
    public ScheduleJobBootstrap(
            ZookeeperRegistry registry,
            Job job,
            JobConfiguration configuration,
            List<? extends RunInterceptor> interceptors,
            List<? extends FireListener> listeners) {
        if (configuration.schedule() instanceof Schedule.OnDemand) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "schedule",
                    configuration.schedule(),
                    "any other schedule here, or a OneOffJobBootstrap");
        }
        this.registry = registry;
        this.job = job;
        this.configuration = configuration;
        this.interceptors = List.copyOf(interceptors);
        this.listeners = List.copyOf(listeners);
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
        registry.host(job, configuration, interceptors, listeners);
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
