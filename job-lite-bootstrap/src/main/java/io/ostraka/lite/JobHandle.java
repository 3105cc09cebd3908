package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobRun;
import io.ostraka.api.TooManyTriggersException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Handle of a job that this instance hosts. Use it to trigger the job, to wait for its plan and to stop hosting it.
 * {@link ZooKeeperRegistry#schedule} and {@link ZooKeeperRegistry#oneOff} return handles. Thread-safe.
 */
public final class JobHandle implements AutoCloseable {
    private final ZooKeeperRegistry registry;
    private final String jobName;
    private final CompletionStage<Void> scheduled;
    private final AtomicBoolean closed = new AtomicBoolean();

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
     * Returns a stage that completes when the job's definition is stored in ZooKeeper and the leader has made a plan
     * for the job. From this moment fires start on the instances that the plan names. Without a connection the stage
     * does not complete. If the handle or the registry is closed first, the stage completes exceptionally with a {@link
     * CoordinationException}. The stage completes on a worker thread.
     */
    public CompletionStage<Void> scheduled() {
        return scheduled;
    }

    /**
     * Runs every item once, now, in addition to the schedule. Each trigger leads to exactly one run of the job. If
     * several triggers wait, their runs follow one another. Returns at once; the engine sends the request when it is
     * connected to ZooKeeper.
     *
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @return the run. It reports when ZooKeeper has accepted the trigger, and later the outcome of each item
     * @throws JobConfigurationException if the parameters are too long
     * @throws TooManyTriggersException if too many triggers of this process have not ended yet: 1,000 of this job, or
     *     5,000 of all jobs
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
     * @throws TooManyTriggersException under the conditions of {@link #trigger(Map)}; a run that waits for its delay
     *     counts as not ended
     */
    public CompletionStage<JobRun> triggerAfter(Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, delay, parameters);
    }

    /**
     * Runs every item once after a delay, and merges requests with the same key. While a request waits for its delay to
     * pass, further requests with the same key have no effect: their delay and their parameters are ignored. Use this
     * method for work that many events request, but that must be done only once, some time after the first of these
     * events.
     *
     * @param key any text of 1 to 256 characters, such as a customer number
     * @param delay zero to 36500 days, from the moment at which ZooKeeper has accepted the request
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @return a stage that completes with the run of this request or, if this request was merged, of the earlier
     *     request
     * @throws TooManyTriggersException under the conditions of {@link #trigger(Map)}; a run that waits for its delay
     *     counts as not ended
     */
    public CompletionStage<JobRun> triggerAfter(String key, Duration delay, Map<String, String> parameters) {
        return registry.triggerAfter(jobName, key, delay, parameters);
    }

    /**
     * Stops hosting the job on this instance; other instances continue to run it. Waits for running items, at most for
     * the job's {@link io.ostraka.api.JobConfiguration#shutdownGrace()}. If a run calls this method, the method waits
     * only for the other runs; if a listener or a callback calls it, it returns at once. A second call does nothing.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) { // a later call would stop a job that was registered again
            registry.engine().unregister(jobName);
        }
    }
}
