package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.Backfill;
import io.ostraka.core.model.BackfillView;
import io.ostraka.core.model.Versioned;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Operations on backfills. */
public interface Backfills {
    /** Returns all backfills, in no particular order. */
    CompletionStage<List<BackfillView>> all();

    /** Returns the backfill of a job, in the latest state that any server has confirmed. */
    CompletionStage<BackfillView> of(String job);

    /**
     * Writes a backfill for an operator.
     *
     * @param from the present value; null if there is none
     * @return {@link TransactionResult.Outdated} about {@link TransactionResult.About#DEFINITION} if the job is not
     *     registered, and about {@link TransactionResult.About#BACKFILL} if the value has changed
     */
    CompletionStage<TransactionResult> write(@Nullable Versioned<Backfill> from, Backfill to);

    /**
     * Writes a step of the leader and creates the trigger of the step, in one transaction.
     *
     * @return {@link TransactionResult.Outdated} about {@link TransactionResult.About#DEFINITION} if the job is not
     *     registered, and about {@link TransactionResult.About#BACKFILL} if the value has changed
     */
    CompletionStage<TransactionResult> step(Leadership leader, Versioned<Backfill> from, Backfill.Step step);

    /** Writes the backfill of a job that is no longer registered, in one transaction of the leader. */
    CompletionStage<TransactionResult> close(Leadership leader, Versioned<Backfill> from, Backfill to);
}
