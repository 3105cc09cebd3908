package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobRun;
import io.ostraka.api.OstrakaException;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.UserCode;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A manual trigger that this instance has requested, together with the run that it causes. */
final class TriggeredRun implements JobRun {
    final Trigger.Request request;
    final CompletableFuture<Map<String, ItemOutcome>> end = new CompletableFuture<>();
    private final Platform.Waiting waiting;
    final CompletableFuture<Void> acceptance = new CompletableFuture<>();
    /** True after ZooKeeper has stored the trigger. Confined to the instance's executor. */
    boolean accepted;
    /** True after the trigger was sent, so ZooKeeper may have stored it. Confined to the instance's executor. */
    boolean sent;
    /** True while the reply to the trigger is pending. Confined to the instance's executor. */
    boolean submitting;
    /** Number of successive searches that found no trace of the accepted run. Confined to the instance's executor. */
    int missing;
    /** Number of complete reads of the triggers at the latest of these searches. Confined to the instance's executor. */
    long reads;

    /** Delay of the trigger; null for an immediate trigger. */
    final @Nullable Later later;

    /**
     * Delay of a trigger.
     *
     * @param key triggers with the same key are merged into one
     * @param delay time from the storage of the trigger until it is due
     * @param accepted completes when ZooKeeper has stored the trigger. Its value is the run of this trigger, or of the
     *     trigger into which this one was merged
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

    /**
     * Returns the run of the other trigger into which this one was merged.
     *
     * @param runId id of the other trigger's run
     */
    TriggeredRun mergedInto(String runId) {
        Trigger.Request other = new Trigger.Request(request.job(), runId, request.parameters(), request.items());
        return new TriggeredRun(other, waiting, later);
    }

    /** Fails the run, because it will never start or because this instance cannot learn its result. */
    void fail(OstrakaException why) {
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
        refuseItsOwnItem();
        try {
            waiting.await(end, timeout);
            return end.join();
        } catch (TimeoutException e) {
            throw new CoordinationException(
                    "run " + runId() + " of job '" + request.job() + "' has not ended within " + timeout
                            + "; it continues, and await can be called again",
                    e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof OstrakaException cause
                    ? cause
                    : new CoordinationException("run " + runId() + " of job '" + request.job() + "'", e);
        }
    }

    private void refuseItsOwnItem() {
        UserCode code = UserCode.current();
        ItemRun caller = code == null ? null : code.run();
        if (caller != null
                && !end.isDone()
                && caller.jobName().equals(request.job())
                && (request.items().isEmpty() || request.items().contains(caller.item()))) {
            throw new IllegalStateException(caller + " cannot wait for run " + runId()
                    + ", because that run starts on this item only after the present one; accepted: runs of other jobs"
                    + " or items");
        }
    }
}
