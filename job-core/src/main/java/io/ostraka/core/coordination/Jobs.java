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

/**
 * Which jobs there are, and what is wanted of them.
 */
public interface Jobs {
    /** Lists the names of all jobs, removed ones included. */
    CompletionStage<List<String>> names();

    /** Reads what decides for all items of a job. */
    CompletionStage<JobView> job(String job);

    /**
     * Registers a job's definition, reviving a removed job: creates it, or replaces an earlier one unless that has a
     * higher revision.
     *
     * @param instance id of the instance that registers it
     * @return the definition that it replaced, if that was another
     */
    CompletionStage<Optional<Definition>> define(Definition definition, String instance);

    /**
     * Puts a definition back that is missing, damaged, or of a lower revision. A removed job stays removed.
     */
    CompletionStage<Void> restore(Definition definition, String instance);

    /**
     * Puts a definition in place of another one of the same revision, if the process that registered the other one hosts the
     * job no longer, and the other one has been in force for a minute. A removed job stays removed.
     *
     * @return whether it was put in place
     */
    CompletionStage<Boolean> reclaim(Definition definition, String instance);

    /** Puts back the override that was read last, in place of one that is damaged. */
    CompletionStage<TransactionResult> restore(String job, Versioned<JobOverride> last, UnreadableNode damage);

    /** Changes what an operator wants of a job. It fails when the job is not known. */
    CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change);

    /** Deletes every node of a removed job. It fails while the job is not removed, or an instance hosts it. */
    CompletionStage<Void> purge(String job);

    /** Reports changes of a job's plan from now on, or no more. */
    void follow(String job, boolean follow);

    /** Reports changes of a job's definition and override from now on, or no more: what a leader needs besides. */
    void followConfiguration(String job, boolean follow);
}
