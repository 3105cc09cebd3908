package io.ostraka.core.tree;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A client session with a tree of versioned nodes, such as ZooKeeper's. An adapter for a coordination service
 * implements this interface. The store handles paths and bytes; {@link Coordination} defines their meaning. Paths are
 * absolute within the namespace, such as {@code /jobs}.
 *
 * <p>Thread-safe and non-blocking. The server executes the requests of a session in the order of the calls. The store
 * completes stages and calls the listener on its own thread, in the order of the events. Callbacks must therefore only
 * enqueue work. A store has one session at a time and opens a new session after it has lost the previous one.
 *
 * <p>When the connection is lost, the store first completes all open requests with an unknown result, and then notifies
 * the listener. Requests that are made without a connection also get an unknown result, before the store reports the
 * next connection. After {@link Outcome.Unknown}, a caller can therefore wait for the next call of {@link
 * Listener#connected}, which follows unless the store is closed.
 *
 * <p>Paths follow the rules of ZooKeeper. The root always exists and cannot be created or deleted. A call with an
 * invalid path or an empty transaction throws {@link IllegalArgumentException}.
 */
public interface NodeStore extends AutoCloseable {
    /**
     * Starts connecting in the background and retries without limit.
     *
     * @param listener receives all events from now on. If the listener throws an exception, the store continues, and
     *     the store or its executor logs the exception
     * @throws IllegalStateException if the store has been started before or is closed
     */
    void start(Listener listener);

    /**
     * Executes all operations or none of them. The store sends the transaction at most once and never repeats it.
     *
     * @param operations at least one operation; a transaction of more than about a megabyte is rejected
     * @return the outcome; the stage never fails. Without a connection, the outcome is {@link Outcome.Unknown}, and the
     *     store sends nothing
     */
    CompletionStage<Outcome> commit(List<NodeOp> operations);

    /**
     * Reads a node. A watch reports the first change after the state that was read; no change is missed. The watch
     * survives reconnections and also reports a change that was made during the disconnection. The watch ends with the
     * session. If the read fails, the watch may or may not exist.
     *
     * @param path path of the node
     * @param watch true to report the next change, creation or deletion of the node by one call of {@link
     *     Listener#changed}, which may come before the answer to this read
     * @return the node; empty if it does not exist. The stage fails with a {@link RefusedException} if the node exists
     *     and this client has no right to read it, and with another {@link CoordinationException} if the answer is
     *     unknown
     */
    CompletionStage<Optional<Node>> read(String path, boolean watch);

    /**
     * Reads several nodes one after the other without a watch, in a single request if the store supports this. All
     * answers must fit into one response; the answers for a few dozen nodes of any size always fit.
     *
     * @return one result for each path, in the same order; each can fail separately
     */
    default List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        return paths.stream().map(path -> read(path, false)).toList();
    }

    /**
     * Returns the names of the children of a node, in no particular order.
     *
     * @return the names; empty if the node has no children or does not exist. The stage fails with a {@link
     *     RefusedException} if this client has no right to list them, and with another {@link CoordinationException} if
     *     the answer is unknown
     */
    CompletionStage<List<String>> children(String path);

    /**
     * Ensures that later reads of this store see every write that was confirmed to any client before this call.
     *
     * @return a stage that completes when this is ensured. The stage fails with a {@link CoordinationException} if the
     *     answer is unknown
     */
    CompletionStage<Void> sync();

    /**
     * Reports every change of a node and of its list of children until {@link #unwatch}. The watch survives
     * reconnections and new sessions. Changes during a disconnection are not reported, so the caller must read again
     * after {@link Listener#connected}. The server executes all later requests of this store after it has set the
     * watch. A write that another client makes before the server has set the watch is not reported.
     *
     * @param path path of the node, which need not exist. A new watch replaces an earlier watch of the same path
     * @param recursive true to include all descendants. A created or deleted node is then reported by its own path, and
     *     not as a change of its parent's list of children
     */
    void watch(String path, boolean recursive);

    /** Ends a {@link #watch}, if one exists. Reports that the server has already sent still arrive. */
    void unwatch(String path);

    /**
     * Joins the leader election until {@link #resign}. The store joins again in each new session. The candidate that
     * has waited longest becomes the leader.
     *
     * @param path parent of the candidate nodes; must exist
     * @param id content of the candidate node, for operators only
     * @throws IllegalStateException if the store is already a candidate, or was not started
     */
    void campaign(String path, String id);

    /**
     * Leaves the leader election and gives up leadership. The store does not report this loss to the listener, but
     * leadership events that are already on their way still arrive.
     */
    void resign();

    /**
     * Ends the session and connects with a new one, in the background. The server deletes the ephemeral nodes of the
     * ended session at once; without a connection, it deletes them when the session expires. Does nothing before the
     * store is started and after it is closed.
     */
    void renew();

    /**
     * Ends the session. The server then deletes its ephemeral nodes at once; without a connection, it deletes them when
     * the session expires. This call waits a limited time for the server. Open and later requests get an unknown
     * result, and the listener gets no more events. A second call does nothing.
     */
    @Override
    void close();

    /** Thrown if the client has no right to read an existing node. */
    final class RefusedException extends CoordinationException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates an exception.
         *
         * @param message names the node and suggests an action
         * @param cause answer of the service
         */
        public RefusedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Receives the events of the session and of watched nodes. After {@code connected}, the next connection event is
     * {@code suspended}. The events after that are either {@code connected} with the same session, or {@code lost} and
     * then {@code connected} with a new session.
     */
    interface Listener {
        /**
         * Called when the store is connected, for the first time or again.
         *
         * @param sessionId id of the session
         * @param sessionTimeout session timeout negotiated with the server
         */
        void connected(long sessionId, Duration sessionTimeout);

        /** Called when the connection is lost. The session may still exist. */
        void suspended();

        /**
         * Called when the session has ended or must be treated as ended. Some stores decide this by their local clock,
         * while the session still exists on the server. Others report the loss only at the next connection. A caller
         * that must stop in time therefore needs its own clock.
         */
        void lost();

        /**
         * Called when the store cannot connect, or cannot use its connection. Called again when the reason changes. The
         * store keeps trying; the next call of {@link #connected} shows that the problem has ended.
         *
         * @param why description for operators: the failed attempt, the servers, and the remedy
         */
        default void hindered(String why) {}

        /**
         * Called when the servers limit the requests of this client, for example to small transactions, and when the
         * limit has ended. The store may be connected at that time. This call only informs operators.
         *
         * @param what description of the limit for operators; null if the limit has ended
         */
        default void limited(@Nullable String what) {}

        /**
         * Called when a watch fires: the node was changed, created or deleted, or its list of children has changed.
         * Reports and answers of a session arrive in the order in which the server has sent them.
         *
         * @param deleted true if the node was deleted
         */
        void changed(String path, boolean deleted);

        /**
         * Called when this store has won or lost the leadership. The leadership is lost with the connection and can be
         * won again later. This event is only a hint: every write of a leader checks that its candidate node still
         * exists.
         *
         * @param candidate path of this store's candidate node if the store leads; otherwise empty
         */
        void leadership(Optional<String> candidate);
    }
}
