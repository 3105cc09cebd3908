package io.ostraka.core.coordination;

import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.PublishedDigest;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
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

    /**
     * Returns the instance id of the latest leader; empty if there was no leader yet. This instance may no longer
     * exist.
     */
    CompletionStage<Optional<String>> leader();

    /**
     * Writes the digest of this instance's health. The digest disappears with the session. Nothing is written if the
     * instance is not registered.
     *
     * @param digest the digest. If it does not fit into one node, the jobs with less severe reasons are left out, and
     *     the node contains the number of these jobs
     */
    CompletionStage<TransactionResult> publish(HealthDigest digest);

    /**
     * Returns all published digests, including unreadable ones, in no particular order. An instance that has just joined has
     * published none.
     */
    CompletionStage<List<PublishedDigest>> digests();

    /** Joins the leader election until {@link #resign}. */
    void campaign(String instanceId);

    /** Leaves the leader election and gives up the leadership. */
    void resign();

    /** Returns the registrations that this version cannot read, by the id of the instance. */
    CompletionStage<Map<String, UnreadableNode>> unreadableInstances();

    /**
     * Starts the term of a new leader. Increases the version of the epoch node, which every transaction of a leader
     * checks, so no earlier leader can write. From then on, the listener receives changes of instances, delayed
     * triggers and backfills.
     *
     * @param candidate path of this instance's node in the leader election
     * @return the proof of leadership for transactions; empty if the candidate node no longer exists
     */
    CompletionStage<Optional<Leadership>> lead(String candidate);

    /** Starts reporting changes of the published health to the listener, until {@link #resign}. */
    void followHealth();

    /**
     * Starts reporting changes of the operators' orders for the namespace to the listener.
     */
    void followOrders();

    /** Reads the operators' orders for the namespace. If the node is damaged, the result describes the damage. */
    CompletionStage<OrdersView> orders();

    /**
     * Changes the operators' orders for the namespace.
     *
     * @param request id of this request, chosen by the caller. The request has no effect if one of the latest 16
     *     requests that changed the orders had this id
     * @param expected transaction that wrote the value that the caller has seen; 0 if there was none, null to change
     *     any value
     * @return the result. The stage fails with a {@link io.ostraka.api.CoordinationException} if the value is
     *     unreadable, or if the service refuses or does not answer; nothing was changed then
     */
    CompletionStage<OrdersResult> amend(Orders.Change change, String request, @Nullable Long expected);

    /**
     * Replaces the operators' orders for the namespace, in one transaction of the leader.
     *
     * @param from the value as read; if the node is damaged, a replacement value with the node's version
     */
    CompletionStage<TransactionResult> replace(Leadership leader, Versioned<Orders> from, Orders to);

    /**
     * Asks an instance to end its session. The instance's coordination client ends the session without help from the
     * engine. An eviction therefore works even if the engine makes no progress, as long as the process runs.
     *
     * @param order order with the operator and the reason; its end time is ignored
     * @return {@link Outcome.Reason#NO_NODE} if the instance is not registered, {@link Outcome.Reason#NODE_EXISTS} if
     *     its eviction was requested before
     */
    CompletionStage<Outcome> evict(String instanceId, Orders.Order order);

    /** Starts deleting eviction requests for instances that are no longer registered. */
    void sweep();

    /**
     * Sends a request that the server must answer. The answer updates {@link #lastAnswerAge} and shows that the server
     * is alive.
     */
    void ping();

    /** Returns the time since the latest answered request was sent, measured by the monotonic clock. */
    Duration lastAnswerAge();

    /**
     * Learns the time on the server's clock, unless it is already known. To do this, the method makes a write that
     * changes no content. If the write fails, the server's time stays unknown.
     */
    CompletionStage<Void> learnServerTime();

    /**
     * Returns the current time on the server's clock, estimated from answers to writes. Before the first answer, this
     * is the current time on this host's clock.
     */
    Instant serverTime();
}
