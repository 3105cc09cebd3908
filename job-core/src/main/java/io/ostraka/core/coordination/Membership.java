package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.InstanceInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Which instances there are, and which of them leads.
 */
public interface Membership {
    /** Writes this session's instance node. The first write of a session creates it, and the namespace with it. */
    CompletionStage<TransactionResult> announce(InstanceInfo self);

    /** Removes an instance node of this session. */
    CompletionStage<TransactionResult> withdraw(String instanceId);

    /** Reads all registered instances; one that can't be read is left out. */
    CompletionStage<List<InstanceInfo>> instances();

    /** Reads a registered instance; empty when it is not there or can't be read. */
    CompletionStage<Optional<InstanceInfo>> instance(String id);

    /** Tells whether a session has an instance's node, also one that can't be read. */
    CompletionStage<Boolean> registered(String id);

    /** Stands for leader until {@link #resign}. */
    void campaign(String instanceId);

    /** Gives the place up, or the candidacy. */
    void resign();

    /**
     * Takes the epoch, so that no earlier leader can write any more, and reports changes of instances and of triggers that
     * are to come later from now on.
     *
     * @return empty when the candidate's node is gone
     */
    CompletionStage<Optional<Leadership>> lead(String candidate);

    /** Asks the server for a sign of life. */
    void ping();

    /** Returns the age, by the monotonic clock, of the last request that was answered, since it was sent. */
    Duration lastAnswerAge();

    /** Returns the server's clock, as far as writes have told; this host's before the first. */
    Instant serverTime();
}
