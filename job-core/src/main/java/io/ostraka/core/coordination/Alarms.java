package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.AlarmsView;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.Versioned;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Operations on the nodes of alarms. There is one node for each job with alarms, and one for the namespace. */
public interface Alarms {
    /** Returns the alarms of all jobs and of the namespace, including unreadable ones, in no particular order. */
    CompletionStage<List<AlarmsView>> all();

    /**
     * Reads the alarms of a job or of the namespace.
     *
     * @param job name of the job; null for the alarms of the namespace
     */
    CompletionStage<AlarmsView> of(@Nullable String job);

    /**
     * Writes the alarms of a job or of the namespace, in a transaction of the leader.
     *
     * @param from the alarms as read; if the node is damaged, a replacement with the node's version; null to create the
     *     node
     */
    CompletionStage<TransactionResult> write(Leadership leader, @Nullable Versioned<JobAlarms> from, JobAlarms to);

    /** Deletes the node with the alarms of a job or of the namespace, in a transaction of the leader. */
    CompletionStage<TransactionResult> delete(Leadership leader, Versioned<JobAlarms> from);
}
