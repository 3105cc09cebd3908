package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobRun;
import io.ostraka.api.TooManyTriggersException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A job that this instance hosts. Use the handle to trigger the job, to wait for its plan and to end the hosting.
 * {@link ZooKeeperRegistry#schedule} and {@link ZooKeeperRegistry#oneOff} create it. Thread-safe.
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
     * Returns a stage that completes when ZooKeeper has the job's definition and the leader has made a plan for the
     * job. From then on fires start on the instances that the plan names. Without a connection the stage waits. It
     * completes exceptionally with a {@link CoordinationException} if the handle or the registry is closed first. It
     * completes on a worker thread.
     */
    public CompletionStage<Void> scheduled() {
        return scheduled;
    }

    /**
     * Runs every item once, now, in addition to the schedule. Each trigger leads to one run: triggers queue, none is
     * dropped, and none replaces another. Returns at once; the engine sends the request when ZooKeeper answers.
     *
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @return the run, with its acceptance by ZooKeeper and the outcomes of its items
     * @throws JobConfigurationException if the parameters are too long
     * @throws TooManyTriggersException if 1,000 triggers of the job, or 5,000 of all jobs, that this process has
     *     requested have not ended
     * @throws CoordinationException if the registry is closed
     */
    public JobRun trigger(Map<String, String> parameters) {
        return registry.trigger(jobName, parameters);
    }

    /** Runs every item once, now, without parameters. See {@link #trigger(Map)}. */
    public JobRun trigger() {
        return trigger(Map.of());
    }

    /**
     * Runs every item once after a delay. The request is stored in ZooKeeper and survives this process.
     *
     * @param delay zero to 36500 days, from the moment at which ZooKeeper has accepted the request
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @return a stage that completes with the run when ZooKeeper has accepted the request
     * @throws TooManyTriggersException as {@link #trigger(Map)} does; a waiting run counts as not ended
     */
    public CompletionStage<JobRun> triggerAfter(Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, delay, parameters);
    }

    /**
     * Runs every item once after a delay and merges requests of the same key: while a request of the key waits, another
     * request has no effect, and the delay and the parameters of the waiting request apply. Use this method for work
     * that many events request and that must be done once after the first of them.
     *
     * @param key any text of 1 to 256 characters, such as a customer number
     * @param delay zero to 36500 days, from the moment at which ZooKeeper has accepted the request
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @return a stage that completes with the run of this request or, if this request was merged, of the earlier
     *     request
     * @throws TooManyTriggersException as {@link #trigger(Map)} does; a waiting run counts as not ended
     */
    public CompletionStage<JobRun> triggerAfter(String key, Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, key, delay, parameters);
    }

    /**
     * Ends hosting the job on this instance; other instances continue. Waits for running items, at most for the job's
     * {@link io.ostraka.api.JobConfiguration#shutdownGrace()}. A second call does nothing.
     */
    @Override
    public void close() {
        registry.engine().unregister(jobName);
    }
}
