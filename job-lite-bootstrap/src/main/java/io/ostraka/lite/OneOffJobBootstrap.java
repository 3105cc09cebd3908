package io.ostraka.lite;

import io.ostraka.api.FireListener;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobRun;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Puts a job that runs on demand on this instance. Every instance that is to take part makes one; any of them can
 * {@link #execute}. Thread-safe.
 */
public final class OneOffJobBootstrap implements AutoCloseable {
    private final ZookeeperRegistry registry;
    private final String jobName;

    /**
     * Registers the job and hosts it from now on, waiting for nothing.
     *
     * @throws JobConfigurationException when the configuration can't be accepted or has a schedule, or this registry hosts
     *     the job already
     */
    public OneOffJobBootstrap(ZookeeperRegistry registry, Job job, JobConfiguration configuration) {
        this(registry, job, configuration, List.of(), List.of());
    }

    /**
     * The same with what stands around the job's runs, and who is told of its fires.
     *
     * @param interceptors inside of those that the registry puts around the runs of all jobs
     * @param listeners besides those that the registry tells of all jobs; {@link io.ostraka.api.OnceListener} among them
     * @throws JobConfigurationException as above
     */
    public OneOffJobBootstrap(
            ZookeeperRegistry registry,
            Job job,
            JobConfiguration configuration,
            List<? extends RunInterceptor> interceptors,
            List<? extends FireListener> listeners) {
        if (!(configuration.schedule() instanceof Schedule.OnDemand)) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "schedule",
                    configuration.schedule(),
                    "Schedule.onDemand() here, or a ScheduleJobBootstrap");
        }
        this.registry = registry;
        this.jobName = configuration.jobName();
        registry.host(job, configuration, interceptors, listeners);
    }

    /**
     * Runs every item once, cluster-wide, however many instances there are. Triggers queue: none is dropped and none
     * replaces another. Returns at once; the request is kept until ZooKeeper has it.
     *
     * @param parameters given to every item, at most 16 Ki characters together
     * @return the run's identity and its end
     * @throws io.ostraka.api.TooManyTriggersException if 1,000 triggers of the job, or 5,000 of all jobs, that this process
     *     has asked for have not ended
     */
    public JobRun execute(Map<String, String> parameters) {
        return registry.engine().trigger(jobName, parameters, Set.of());
    }

    /** The same without parameters. */
    public JobRun execute() {
        return execute(Map.of());
    }

    /**
     * Runs every item once, later. It waits in ZooKeeper, whatever becomes of this process, and is then as any run that
     * {@link #execute} asks for. Returns at once; the request is kept until ZooKeeper has it.
     *
     * @param delay zero to 36500 days, from when ZooKeeper has it
     * @param parameters given to every item, at most 16 Ki characters together
     * @return the run's identity and its end, once ZooKeeper has it
     */
    public CompletionStage<JobRun> executeAfter(Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, delay, parameters);
    }

    /**
     * The same, at most once at a time for a key: while one of the same key waits, further ones merge into it, and its
     * delay and its parameters are what counts. For work that many events ask for and that needs to be done once after
     * the first of them.
     *
     * @param key any text of 1 to 256 characters, such as a customer's number
     * @return the run that it comes to, which may be the one that waited
     */
    public CompletionStage<JobRun> triggerAfter(String key, Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, key, delay, parameters);
    }

    /** Ends hosting the job on this instance. Waits for running items, up to the job's grace. */
    @Override
    public void close() {
        registry.engine().unregister(jobName);
    }
}
