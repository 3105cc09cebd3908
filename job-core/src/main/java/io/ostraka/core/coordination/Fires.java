package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.PendingTriggers;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Operations on manual triggers and on the progress of fires. Progress is stored only for fires of manual triggers and
 * for fires of jobs with once-listeners.
 */
public interface Fires {
    /**
     * Adds a manual trigger exactly once, even if replies are lost.
     *
     * @param asked true if an earlier call may have added this trigger; this call then first looks for the trigger
     * @return whether the job is registered. If not, no trigger is added
     */
    CompletionStage<Boolean> trigger(Trigger.Request request, boolean asked);

    /**
     * Returns whether a trigger with this run id was accepted before: it waits for its time or for its items, its fire
     * has begun, or its fire ended within the last hour.
     */
    CompletionStage<Boolean> accepted(String job, String runId);

    /**
     * Adds a delayed trigger exactly once, even if replies are lost. If a delayed trigger with the same job and key is
     * already waiting, no trigger is added.
     *
     * @param delay time from now until the trigger is due, measured by the server's clock
     * @return run id of the trigger that was added or that was already waiting; empty if the job is not registered
     */
    CompletionStage<Optional<String>> triggerLater(Trigger.Request request, String key, Duration delay);

    /** Returns all delayed triggers except unreadable ones. */
    CompletionStage<List<Versioned<DelayedTrigger>>> delayed();

    /** Turns a delayed trigger into a manual trigger, in one transaction of the leader. */
    CompletionStage<TransactionResult> release(Leadership leader, Versioned<DelayedTrigger> delayed);

    /** Deletes a delayed trigger of a job that is no longer registered, in one transaction of the leader. */
    CompletionStage<TransactionResult> drop(Leadership leader, Versioned<DelayedTrigger> delayed);

    /**
     * Cancels a delayed trigger exactly once, even if replies are lost. Its run then never starts, and callers that
     * wait for the run receive the operator's name and the reason.
     *
     * @param named key or run id of the delayed trigger
     * @param by operator who cancels the trigger, at most 128 printable characters
     * @param reason reason for the cancellation, at most 500 printable characters; null if unknown
     */
    CompletionStage<Cancellation> cancel(String job, String named, String by, @Nullable String reason);

    /**
     * Requests the end of a fire. The stop's name identifies the request, so a repeated call changes nothing.
     *
     * @return {@link TransactionResult.Outdated} with {@link TransactionResult.About#STOP} if the same stop exists
     *     already, and with {@link TransactionResult.About#DEFINITION} if the job is not registered. {@link
     *     TransactionResult.Unknown} if the answer was lost; a repeated call then shows whether the stop exists
     */
    CompletionStage<TransactionResult> stop(FireStop stop);

    /** Returns all stops. If the content of a stop is unreadable, the stop is returned without content. */
    CompletionStage<List<FireStop>> stops();

    /** Deletes a stop whose fire has ended, in one transaction of the leader. */
    CompletionStage<TransactionResult> deleteStop(Leadership leader, FireStop stop);

    /** Returns the manual trigger whose node has this name. The result is empty if the node does not exist. */
    CompletionStage<Triggers> trigger(String name);

    /** Returns all manual triggers. */
    CompletionStage<Triggers> triggers();

    /** Returns a job's triggers that have not ended, for display to operators. */
    CompletionStage<PendingTriggers> pending(String job);

    /** Returns the progress of a fire; empty if none is stored. */
    CompletionStage<Optional<Versioned<FireProgress>>> progress(String job, String fire);

    /** Returns the progress of a fire and watches it: the listener receives the next change. */
    CompletionStage<Optional<Versioned<FireProgress>>> awaited(String job, String fire);

    /** Returns the progress of a fire. If the progress node is damaged, the result describes the damage. */
    CompletionStage<FireView> look(String job, String fire);

    /**
     * Returns the progress of several fires, in the order of {@code fires}. All other waiting reads have priority over
     * these reads.
     */
    CompletionStage<List<FireView>> look(String job, List<String> fires);

    /** Deletes the progress of a fire if it still has the given version. */
    CompletionStage<Outcome> delete(String job, String fire, int version);

    /**
     * Starts deleting damaged triggers and damaged delayed triggers, since no instance can ever run them. Triggers that
     * another version may have written are kept. Also starts repairing the run nodes, which show that the run of a
     * delayed trigger still waits: missing run nodes are restored, and run nodes without a delayed trigger are deleted.
     */
    void sweep(Leadership leader);

    /** Returns the names of all progress nodes of a job. */
    CompletionStage<List<String>> kept(String job);

    /** Starts reporting changes of manual triggers to the listener, in this session and in all later sessions. */
    void followTriggers();

    /**
     * Starts reporting stops to the listener. From then on, an eviction of this instance also ends its session.
     */
    void followStops();

    /** Starts or stops reporting changes of all progress nodes of a job to the listener. */
    void follow(String job, boolean follow);
}
