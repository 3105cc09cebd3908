package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobRun;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A manual trigger from this instance. */
final class TriggeredRun implements JobRun {
    final Trigger.Request request;
    final CompletableFuture<Map<String, ItemOutcome>> end = new CompletableFuture<>();
    private final Platform.Waiting waiting;
    final CompletableFuture<Void> acceptance = new CompletableFuture<>();
    /** True once ZooKeeper has the trigger; confined to the instance's executor. */
    boolean accepted;
    /** True once the trigger was sent, so ZooKeeper may have it; confined likewise. */
    boolean sent;
    /** True while a submission is under way; confined likewise. */
    boolean submitting;
    /** Number of audits in a row that found no trace of the accepted run; confined likewise. */
    int missing;

    /** Delay of the trigger; null for an immediate trigger. */
    final @Nullable Later later;

    /**
     * Delay of a trigger.
     *
     * @param accepted completes with the resulting run when ZooKeeper has the trigger
     */
    record Later(String key, Duration delay, CompletableFuture<JobRun> accepted) {}

    TriggeredRun(Trigger.Request request, Platform.Waiting waiting) {
        this(request, waiting, null);
    }

    TriggeredRun(Trigger.Request request, Platform.Waiting waiting, @Nullable Later later) {
        this.request = request;
        this.waiting = waiting;
        this.later = later;
    }

    /** Returns the run of another trigger into which this one was merged. */
    TriggeredRun mergedInto(String runId) {
        Trigger.Request other = new Trigger.Request(request.job(), runId, request.parameters(), request.items());
        return new TriggeredRun(other, waiting, later);
    }

    /** Fails the run: it will never start, or its result cannot be known here. */
    void fail(CoordinationException why) {
        acceptance.completeExceptionally(why);
        end.completeExceptionally(why);
        if (later != null) {
            later.accepted().completeExceptionally(why);
        }
    }

    @Override
    public String runId() {
        return request.runId();
    }

    @Override
    public CompletionStage<Void> accepted() {
        return acceptance.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Map<String, ItemOutcome>> completion() {
        return end.minimalCompletionStage();
    }

    @Override
    public Map<String, ItemOutcome> await(Duration timeout) throws InterruptedException {
        try {
            waiting.await(end, timeout);
            return end.join();
        } catch (TimeoutException e) {
            throw new CoordinationException(
                    "run " + runId() + " of job '" + request.job() + "' has not ended within " + timeout
                            + "; it continues, and await can be called again",
                    e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof CoordinationException cause
                    ? cause
                    : new CoordinationException("run " + runId() + " of job '" + request.job() + "'", e);
        }
    }
}
