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

/**
 * Manual triggers, and how far the fires are whose end must be known.
 */
public interface Fires {
    /**
     * Adds a manual trigger, exactly once, however often replies are lost.
     *
     * @param asked true if it may have been added before: then that is looked for first
     * @return whether the job is known: a trigger of another is not added
     */
    CompletionStage<Boolean> trigger(Trigger.Request request, boolean asked);

    /**
     * Has a manual trigger come later, exactly once, however often replies are lost; unless one of the same job and key
     * waits already.
     *
     * @param delay from when ZooKeeper has it
     * @return the run id of the one that waits, or has waited; empty if the job is not known
     */
    CompletionStage<Optional<String>> triggerLater(Trigger.Request request, String key, Duration delay);

    /** Reads all triggers that are to come later; one that can't be read is left out. */
    CompletionStage<List<Versioned<DelayedTrigger>>> delayed();

    /** Turns a trigger that was to come later into one, as the leader. */
    CompletionStage<TransactionResult> release(Leadership leader, Versioned<DelayedTrigger> delayed);

    /** Deletes a trigger that was to come later, as the leader: its job is not known any more. */
    CompletionStage<TransactionResult> drop(Leadership leader, Versioned<DelayedTrigger> delayed);

    /** Reads one manual trigger by its node's name; empty if it is gone or can't be read. */
    CompletionStage<Optional<Trigger>> trigger(String name);

    /** Reads all manual triggers, oldest first; one that can't be read is left out. */
    CompletionStage<List<Trigger>> triggers();

    /** Reads the progress of a fire, empty when none is kept. */
    CompletionStage<Optional<Versioned<FireProgress>>> progress(String job, String fire);

    /** The same, and has its next change reported. */
    CompletionStage<Optional<Versioned<FireProgress>>> awaited(String job, String fire);

    /** Reads how the progress of a fire stands, for whoever mends it. */
    CompletionStage<FireView> look(String job, String fire);

    /** Reads how the progress of some fires stands, in their order; whatever else is read passes this. */
    CompletionStage<List<FireView>> look(String job, List<String> fires);

    /** Deletes the progress of a fire, unless it is no longer what was read. */
    CompletionStage<Outcome> delete(String job, String fire, int version);

    /** Deletes triggers that can't be read, those to come included: nobody could ever serve them. */
    void sweep();

    /** Lists the ids of the fires of a job whose progress is kept. */
    CompletionStage<List<String>> kept(String job);

    /** Reports changes of the progress of a job's fires from now on, or no more. */
    void follow(String job, boolean follow);
}
