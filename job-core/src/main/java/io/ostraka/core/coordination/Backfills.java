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

    /**
     * Returns the backfill of a job. The result includes every write that was confirmed to any client before this call.
     */
    CompletionStage<BackfillView> of(String job);

    /**
     * Writes a backfill for an operator.
     *
     * @param from the present value; null if there is none
     * @return {@link TransactionResult.Outdated} with {@link TransactionResult.About#DEFINITION} if the job is not
     *     registered, and with {@link TransactionResult.About#BACKFILL} if the value has changed
     */
    CompletionStage<TransactionResult> write(@Nullable Versioned<Backfill> from, Backfill to);

    /**
     * Writes the backfill after a step, and creates the step's trigger if it has one, in one transaction of the leader.
     *
     * @return {@link TransactionResult.Outdated} with {@link TransactionResult.About#DEFINITION} if the job is not
     *     registered, and with {@link TransactionResult.About#BACKFILL} if the value has changed
     */
    CompletionStage<TransactionResult> step(Leadership leader, Versioned<Backfill> from, Backfill.Step step);

    /** Writes the backfill of a job that is no longer registered, in one transaction of the leader. */
    CompletionStage<TransactionResult> close(Leadership leader, Versioned<Backfill> from, Backfill to);
}
