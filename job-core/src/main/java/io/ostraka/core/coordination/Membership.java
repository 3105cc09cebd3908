package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.InstanceInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Operations on instances and their leader. */
public interface Membership {
    /**
     * Writes the instance node of this session. The first write of a session creates the node, and the namespace
     * if it is missing.
     */
    CompletionStage<TransactionResult> announce(InstanceInfo self);

    /** Deletes an instance node of this session. */
    CompletionStage<TransactionResult> withdraw(String instanceId);

    /** Returns all registered instances except unreadable ones. */
    CompletionStage<List<InstanceInfo>> instances();

    /** Returns a registered instance; empty if it is missing or unreadable. */
    CompletionStage<Optional<InstanceInfo>> instance(String id);

    /** Returns whether a session has the node of an instance, readable or not. */
    CompletionStage<Boolean> registered(String id);

    /** Joins the leader election until {@link #resign}. */
    void campaign(String instanceId);

    /** Gives up the leadership or the candidacy. */
    void resign();

    /**
     * Takes the epoch, after which no earlier leader can write, and starts reporting changes of instances and of
     * delayed triggers.
     *
     * @return empty if the candidate node is missing
     */
    CompletionStage<Optional<Leadership>> lead(String candidate);

    /** Sends a request whose answer shows that the server is alive. */
    void ping();

    /** Returns the time since the latest answered request was sent, by the monotonic clock. */
    Duration lastAnswerAge();

    /**
     * Returns the time of the server, as far as answers to writes have shown it; before the first answer, the time
     * of this host.
     */
    Instant serverTime();
}
