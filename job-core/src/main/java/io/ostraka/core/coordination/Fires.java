package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Operations on manual triggers, and on the progress of fires whose end must be known. */
public interface Fires {
    /**
     * Adds a manual trigger exactly once, even if replies are lost.
     *
     * @param asked true if an earlier call may have added the trigger; it is then looked up first
     * @return whether the job is known; a trigger of an unknown job is not added
     */
    CompletionStage<Boolean> trigger(Trigger.Request request, boolean asked);

    /**
     * Schedules a manual trigger exactly once, even if replies are lost, unless one with the same job and key
     * waits already.
     *
     * @param delay time from the moment at which ZooKeeper stores the trigger
     * @return run id of the trigger that waits, or has waited; empty if the job is unknown
     */
    CompletionStage<Optional<String>> triggerLater(Trigger.Request request, String key, Duration delay);

    /** Returns all delayed triggers except unreadable ones. */
    CompletionStage<List<Versioned<DelayedTrigger>>> delayed();

    /** Turns a delayed trigger into a manual trigger, as the leader. */
    CompletionStage<TransactionResult> release(Leadership leader, Versioned<DelayedTrigger> delayed);

    /** Deletes a delayed trigger of a job that is no longer known, as the leader. */
    CompletionStage<TransactionResult> drop(Leadership leader, Versioned<DelayedTrigger> delayed);

    /** Returns a manual trigger by the name of its node; empty if it is missing or unreadable. */
    CompletionStage<Optional<Trigger>> trigger(String name);

    /** Returns all manual triggers except unreadable ones, oldest first. */
    CompletionStage<List<Trigger>> triggers();

    /** Returns the progress of a fire; empty if none is stored. */
    CompletionStage<Optional<Versioned<FireProgress>>> progress(String job, String fire);

    /** Returns the progress of a fire and reports its next change. */
    CompletionStage<Optional<Versioned<FireProgress>>> awaited(String job, String fire);

    /** Returns the progress of a fire, or how its node is damaged, for repairs. */
    CompletionStage<FireView> look(String job, String fire);

    /** Returns the progress of several fires in the given order; all other reads go first. */
    CompletionStage<List<FireView>> look(String job, List<String> fires);

    /** Deletes the progress of a fire if it still has the given version. */
    CompletionStage<Outcome> delete(String job, String fire, int version);

    /** Deletes unreadable triggers and delayed triggers, which no instance can ever run. */
    void sweep();

    /** Returns the ids of the fires of a job whose progress is stored. */
    CompletionStage<List<String>> kept(String job);

    /** Starts or stops reporting changes of the progress of a job's fires. */
    void follow(String job, boolean follow);
}
