package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.InstanceInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Operations on the registrations of instances and on the leader election. */
public interface Membership {
    /**
     * Writes the registration of this instance. The first write in a session creates the instance's node, and also any
     * missing nodes of the namespace.
     */
    CompletionStage<TransactionResult> announce(InstanceInfo self);

    /** Deletes the registration of an instance, which must have registered in this session. */
    CompletionStage<TransactionResult> withdraw(String instanceId);

    /** Returns all registered instances except unreadable ones. */
    CompletionStage<List<InstanceInfo>> instances();

    /** Returns a registered instance; empty if it is missing or unreadable. */
    CompletionStage<Optional<InstanceInfo>> instance(String id);

    /** Returns true if the node of an instance exists and belongs to a session. The node may be unreadable. */
    CompletionStage<Boolean> registered(String id);

    /** Returns the id of the instance that has led last; empty if none has led yet. The instance may have left. */
    CompletionStage<Optional<String>> leader();

    /** Joins the leader election until {@link #resign}. */
    void campaign(String instanceId);

    /** Leaves the leader election and gives up the leadership. */
    void resign();

    /**
     * Starts the term of a new leader. Increases the version of the epoch node, which every transaction of a leader
     * checks, so no earlier leader can write. From then on, the listener receives changes of instances and of delayed
     * triggers.
     *
     * @param candidate path of this instance's node in the leader election
     * @return the proof of leadership for transactions; empty if the candidate node no longer exists
     */
    CompletionStage<Optional<Leadership>> lead(String candidate);

    /**
     * Sends a request that the server must answer. The answer updates {@link #lastAnswerAge} and shows that the server
     * is alive.
     */
    void ping();

    /** Returns the time since the latest answered request was sent, measured by the monotonic clock. */
    Duration lastAnswerAge();

    /**
     * Returns the current time on the server's clock, estimated from answers to writes. Before the first answer, this
     * is the current time on this host's clock.
     */
    Instant serverTime();
}
