package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Operations on jobs and their configuration. */
public interface Jobs {
    /** Returns the names of all jobs, including removed ones. */
    CompletionStage<List<String>> names();

    /** Reads the definition, the override and the plan of a job. */
    CompletionStage<JobView> job(String job);

    /** Reads the overrides and the plans of jobs, in the given order. The views have no definition. */
    CompletionStage<List<JobView>> plans(List<String> jobs);

    /**
     * Registers the definition of a job. An existing definition with a higher revision is kept; any other existing
     * definition is replaced. A removed job becomes active again.
     *
     * @param instance id of the registering instance
     * @return the replaced definition if it was different from the new one; otherwise empty
     */
    CompletionStage<Optional<Definition>> define(Definition definition, String instance);

    /**
     * Writes the definition again if the stored definition is missing, is damaged, or has a lower revision. A removed
     * job stays removed.
     */
    CompletionStage<Void> restore(Definition definition, String instance);

    /**
     * Replaces the stored definition with this definition if both have the same revision but different content. The
     * stored definition must be at least one minute old, and the process that registered it must no longer host the
     * job. A removed job stays removed.
     *
     * @return whether the definition was replaced
     */
    CompletionStage<Boolean> reclaim(Definition definition, String instance);

    /** Replaces a damaged override with the override that this instance read last. */
    CompletionStage<TransactionResult> restore(String job, Versioned<JobOverride> last, UnreadableNode damage);

    /**
     * Changes the override of a job. The stage fails with a {@link io.ostraka.api.JobConfigurationException} if the
     * change is invalid, with an {@link io.ostraka.api.UnknownOutcomeException} if the reply was lost, and with another
     * {@link io.ostraka.api.CoordinationException} if the job is not registered or the change was not possible.
     */
    CompletionStage<Amendment.Result> amend(String job, Amendment amendment);

    /**
     * Removes the changes that have ended from the override of a job. Only the leader does this.
     *
     * @param seen the job with its present override
     * @param to the present override without the changes that have ended
     */
    CompletionStage<TransactionResult> endChanges(Leadership leader, JobView seen, JobOverride to);

    /**
     * Deletes all nodes of a removed job. The stage fails if the job is not removed, if an instance still hosts the
     * job, or if the job has no nodes.
     *
     * @param expected transaction that wrote the override that the operator has seen; 0 if there was none, null to
     *     accept any override
     * @return empty if the nodes were deleted; a conflict if the override is not the expected one, so that nothing was
     *     deleted
     */
    CompletionStage<Optional<Amendment.Conflict>> purge(String job, @Nullable Long expected);

    /** Starts or stops reporting changes of a job's plan to the listener. */
    void follow(String job, boolean follow);

    /**
     * Starts or stops reporting changes of a job's definition and override to the listener. Only the leader needs these
     * events.
     */
    void followConfiguration(String job, boolean follow);
}
