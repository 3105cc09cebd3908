package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.PublishedDigest;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.model.Wanted;
import io.ostraka.core.model.WantedView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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

    /**
     * Writes the digest of this instance's health. The digest disappears with the session. Nothing is written if the
     * instance is not registered.
     *
     * @param digest if its exceptions do not fit one node, the less severe jobs are left out, and the digest in the
     *     node says so
     */
    CompletionStage<TransactionResult> publish(HealthDigest digest);

    /**
     * Returns all published digests, in no particular order, unreadable ones included. Reads without any effect. An
     * instance of an earlier version has none.
     */
    CompletionStage<List<PublishedDigest>> digests();

    /** Joins the leader election until {@link #resign}. */
    void campaign(String instanceId);

    /** Leaves the leader election and gives up the leadership. */
    void resign();

    /** Reads the nodes of registered instances whose content this version cannot read, by the id of the instance. */
    CompletionStage<Map<String, UnreadableNode>> unreadableInstances();

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
     * Starts reporting changes of the operators' orders for the namespace to the listener.
     */
    void followOrders();

    /** Reads the operators' orders for the namespace. A damaged node is part of the result. */
    CompletionStage<WantedView> wanted();

    /**
     * Changes the operators' orders for the namespace.
     *
     * @param request id of this request, chosen by the caller. The request has no effect if it was made before, unless
     *     16 others were made since
     * @param expected transaction that wrote the value that the caller saw, 0 if there was none; null to change any
     *     value
     * @return the result. The stage fails with a {@link io.ostraka.api.CoordinationException} if nothing was changed
     *     because the value is unreadable, or because the service refuses or does not answer
     */
    CompletionStage<WantedResult> amend(Wanted.Change change, String request, @Nullable Long expected);

    /**
     * Replaces the operators' orders for the namespace, in one transaction of the leader.
     *
     * @param from the value as read, or the replacement for a damaged one
     */
    CompletionStage<TransactionResult> replace(Leadership leader, Versioned<Wanted> from, Wanted to);

    /**
     * Requests that an instance ends its session. Its coordination client does that, so it works even if the instance's
     * engine makes no progress, as long as the process itself runs.
     *
     * @param order names the operator and the reason; its end is ignored
     * @return {@link Outcome.Reason#NO_NODE} if the instance is not registered, {@link Outcome.Reason#NODE_EXISTS} if
     *     the same was requested before
     */
    CompletionStage<Outcome> evict(String instanceId, Wanted.Order order);

    /** Starts deleting the requests to evict instances that are gone. */
    void sweep();

    /**
     * Sends a request that the server must answer. The answer updates {@link #lastAnswerAge} and shows that the server
     * is alive.
     */
    void ping();

    /** Returns the time since the latest answered request was sent, measured by the monotonic clock. */
    Duration lastAnswerAge();

    /**
     * Learns the server's clock, with a write that changes no content, if this client has not seen the clock yet. If the
     * write fails, the clock stays unknown.
     */
    CompletionStage<Void> learnServerTime();

    /**
     * Returns the current time on the server's clock, estimated from answers to writes. Before the first answer, this
     * is the current time on this host's clock.
     */
    Instant serverTime();
}
