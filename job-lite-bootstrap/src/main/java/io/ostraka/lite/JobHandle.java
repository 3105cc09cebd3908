package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobRun;
import io.ostraka.api.TooManyTriggersException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A job that this instance hosts: tells when it is scheduled, triggers it, and ends the hosting. {@link
 * ZooKeeperRegistry#schedule} and {@link ZooKeeperRegistry#oneOff} create it. Thread-safe.
 */
public final class JobHandle implements AutoCloseable {
    private final ZooKeeperRegistry registry;
    private final String jobName;
    private final CompletionStage<Void> scheduled;

    JobHandle(ZooKeeperRegistry registry, String jobName, CompletionStage<Void> scheduled) {
        this.registry = registry;
        this.jobName = jobName;
        this.scheduled = scheduled;
    }

    /** Returns the name of the job. */
    public String jobName() {
        return jobName;
    }

    /**
     * Returns a stage that completes when ZooKeeper has the job's definition and the leader has made a plan for the job: from
     * then on fires start on the instances that the plan names. Without a connection the stage waits. It completes
     * exceptionally, with a {@link CoordinationException}, when the handle or the registry is closed first. Completed on a
     * worker thread.
     */
    public CompletionStage<Void> scheduled() {
        return scheduled;
    }

    /**
     * Runs every item once, now, in addition to the schedule, whatever the number of instances. Triggers queue: none is
     * dropped and none replaces another. Returns at once; the engine sends the request when ZooKeeper answers.
     *
     * @param parameters passed to every item; at most 16 Ki characters together
     * @return the run: when ZooKeeper has accepted it, and how its items have ended
     * @throws JobConfigurationException when the parameters are too long
     * @throws TooManyTriggersException if 1,000 triggers of the job, or 5,000 of all jobs, that this process has asked for
     *     have not ended
     * @throws CoordinationException when the registry is closed
     */
    public JobRun trigger(Map<String, String> parameters) {
        return registry.trigger(jobName, parameters);
    }

    /** Runs every item once, now, without parameters: see {@link #trigger(Map)}. */
    public JobRun trigger() {
        return trigger(Map.of());
    }

    /**
     * Runs every item once, later. The request waits in ZooKeeper and survives this process.
     *
     * @param delay zero to 36500 days, from the moment at which ZooKeeper has accepted the request
     * @param parameters passed to every item; at most 16 Ki characters together
     * @return the run, once ZooKeeper has accepted the request
     * @throws TooManyTriggersException as {@link #trigger(Map)} does; a run that waits counts
     */
    public CompletionStage<JobRun> triggerAfter(Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, delay, parameters);
    }

    /**
     * Runs every item once, later, and merges requests of one key: while a request with the same key waits, this one adds
     * nothing, and the delay and the parameters of the waiting request count. Use it for work that many events ask for and
     * that must be done once after the first of them.
     *
     * @param key any text of 1 to 256 characters, such as a customer's number
     * @param delay zero to 36500 days, from the moment at which ZooKeeper has accepted the request
     * @param parameters passed to every item; at most 16 Ki characters together
     * @return the run that the request has led to, which may be the run of the earlier request
     * @throws TooManyTriggersException as {@link #trigger(Map)} does; a run that waits counts
     */
    public CompletionStage<JobRun> triggerAfter(String key, Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, key, delay, parameters);
    }

    /**
     * Ends hosting the job on this instance; other instances continue. Waits for running items, up to the job's {@link
     * io.ostraka.api.JobConfiguration#shutdownGrace()}. A second call does nothing.
     */
    @Override
    public void close() {
        registry.engine().unregister(jobName);
    }
}
