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

/** A manual trigger that this instance has asked for. */
final class TriggeredRun implements JobRun {
    final Trigger.Request request;
    final CompletableFuture<Map<String, ItemOutcome>> end = new CompletableFuture<>();
    private final Platform.Waiting waiting;
    final CompletableFuture<Void> acceptance = new CompletableFuture<>();
    /** Whether ZooKeeper has it; confined to the instance's lane. */
    boolean accepted;
    /** True once it was sent, so that ZooKeeper may have it; confined likewise. */
    boolean sent;
    /** Whether it is being submitted; confined likewise. */
    boolean submitting;
    /** How many audits in a row found no trace of it, though it was accepted; confined likewise. */
    int missing;

    /** How it is to come later; null if it comes at once. */
    final @Nullable Later later;

    /**
     * A trigger that is to come later.
     *
     * @param accepted the run that it comes to, once ZooKeeper has it
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

    /** The run of another trigger, which this one has merged into. */
    TriggeredRun mergedInto(String runId) {
        Trigger.Request other = new Trigger.Request(request.job(), runId, request.parameters(), request.items());
        return new TriggeredRun(other, waiting, later);
    }

    /** It will never run, or nobody here will know. */
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
                            + "; it goes on, and can be waited for again",
                    e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof CoordinationException cause
                    ? cause
                    : new CoordinationException("run " + runId() + " of job '" + request.job() + "'", e);
        }
    }
}
