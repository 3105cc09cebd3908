package io.ostraka.api;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A run that a manual trigger has requested. Provides the id of the run, and stages that complete when ZooKeeper has
 * accepted the trigger and when the run has ended. Thread-safe.
 */
public interface JobRun {
    /**
     * Returns the id of the run. It is known before ZooKeeper accepts the trigger, and equals the {@link
     * ShardingContext#runId()} of every item of the run.
     */
    String runId();

    /**
     * Returns a stage that completes when ZooKeeper has accepted the trigger. From then on, the run takes place even if
     * this process dies. The stage completes exceptionally with a {@link CoordinationException} if the job is not
     * registered, or if the registry is closed before the acceptance. The stage completes on a worker thread.
     */
    CompletionStage<Void> accepted();

    /**
     * Returns a stage that completes when all items of the run have ended. Its result is a map of the outcomes by item
     * key. The map is empty if the job was removed before the run began. If this process loses its session, the stage
     * completes later, in a new session. The stage completes exceptionally with a {@link CoordinationException} if the
     * registry is closed before the run has ended, or if ZooKeeper no longer has the outcomes, which are deleted an
     * hour after the end of the run. The stage completes exceptionally with a {@link RunCancelledException} if the run
     * was cancelled before it was due. The stage completes on a worker thread.
     */
    CompletionStage<Map<String, ItemOutcome>> completion();

    /**
     * Waits for {@link #completion()}.
     *
     * @param timeout longest time to wait
     * @return the outcomes of all items by item key
     * @throws CoordinationException if the run has not ended in time, if its outcomes were deleted, or if the registry
     *     is closed
     * @throws RunCancelledException if the delayed trigger of the run was cancelled
     * @throws IllegalStateException if a run calls this method that has not ended and whose item this run needs, so that
     *     the two would wait for each other
     * @throws InterruptedException if the calling thread is interrupted
     */
    Map<String, ItemOutcome> await(Duration timeout) throws InterruptedException;
}
