package io.ostraka.core.coordination;

import io.ostraka.core.model.Definition;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Operations on jobs and their configuration. */
public interface Jobs {
    /** Returns the names of all jobs, including removed ones. */
    CompletionStage<List<String>> names();

    /** Reads the definition, the override and the plan of a job. */
    CompletionStage<JobView> job(String job);

    /**
     * Registers the definition of a job and revives a removed job. Creates the definition, or replaces an earlier
     * one unless that has a higher revision.
     *
     * @param instance id of the registering instance
     * @return the replaced definition, if it was different
     */
    CompletionStage<Optional<Definition>> define(Definition definition, String instance);

    /** Restores a definition that is missing, damaged or of a lower revision. A removed job stays removed. */
    CompletionStage<Void> restore(Definition definition, String instance);

    /**
     * Replaces a different definition of the same revision, if the process that registered it no longer hosts the
     * job and it has been in force for a minute. A removed job stays removed.
     *
     * @return whether the definition was replaced
     */
    CompletionStage<Boolean> reclaim(Definition definition, String instance);

    /** Restores the override that was read last in place of a damaged one. */
    CompletionStage<TransactionResult> restore(String job, Versioned<JobOverride> last, UnreadableNode damage);

    /** Changes the override of a job. Fails if the job is unknown. */
    CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change);

    /** Deletes every node of a removed job. Fails while the job is not removed or an instance hosts it. */
    CompletionStage<Void> purge(String job);

    /** Starts or stops reporting changes of the plan of a job. */
    void follow(String job, boolean follow);

    /** Starts or stops reporting changes of the definition and the override of a job, which only a leader needs. */
    void followConfiguration(String job, boolean follow);
}
