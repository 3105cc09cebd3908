package io.ostraka.api;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** A run that a manual trigger has asked for: its identity, its acceptance and its end. Thread-safe. */
public interface JobRun {
    /** Returns the run's id, known at once; {@link ShardingContext#runId()} of every item is the same. */
    String runId();

    /**
     * Returns a stage that completes when ZooKeeper has accepted the trigger: from then on the run starts whatever becomes of
     * this process. It completes exceptionally with a {@link CoordinationException} when the job is not registered, or when
     * the registry is closed first. Completed on a worker thread.
     */
    CompletionStage<Void> accepted();

    /**
     * Returns how every item has ended, once all have, by item key; empty when the job was removed before it began. It
     * survives loss of the session; it completes exceptionally with a {@link CoordinationException} when the registry is
     * closed before that, or when its outcome is no longer kept, an hour after its end. Completed on a worker thread.
     */
    CompletionStage<Map<String, ItemOutcome>> completion();

    /**
     * Waits for {@link #completion()}.
     *
     * @param timeout how long at most
     * @return how every item has ended, by item key
     * @throws CoordinationException when it has not ended in time, or the registry is closed
     * @throws InterruptedException when the calling thread is interrupted
     */
    Map<String, ItemOutcome> await(Duration timeout) throws InterruptedException;
}
