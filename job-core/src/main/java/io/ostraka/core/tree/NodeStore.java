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
 * Session with a tree of versioned nodes that behaves as ZooKeeper does. This is the interface that an adapter
 * implements. The store handles paths and bytes; {@link Coordination} gives them meaning. Paths are absolute within
 * the namespace, such as {@code /jobs}.
 *
 * <p>Thread-safe and non-blocking. The server executes the requests of a session in the order of the calls. The store
 * completes stages and calls the listener on its own thread, in the order of the events, so callbacks must only
 * enqueue. A store has one session at a time and opens a new one after it lost the session.
 *
 * <p>When the connection is lost, the store first answers all open requests as unknown and then notifies the listener.
 * It answers requests without a connection before it reports the next connection. A caller that gets {@link
 * Outcome.Unknown} may therefore wait for {@link Listener#connected}, which comes unless the store is closed.
 *
 * <p>Paths follow the rules of ZooKeeper; the root exists and is neither created nor deleted. An invalid path or an
 * empty transaction throws {@link IllegalArgumentException} at the call.
 */
public interface NodeStore extends AutoCloseable {
    /**
     * Starts connecting in the background and retries without limit.
     *
     * @param listener receives all events from now on. The store logs its exceptions, or leaves them to the
     *     executor that calls the listener, and continues
     * @throws IllegalStateException if the store was started before or is closed
     */
    void start(Listener listener);

    /**
     * Executes all operations or none of them. The store sends the transaction exactly once.
     *
     * @param operations at least one operation; a transaction of more than about a megabyte is rejected
     * @return the outcome; never exceptional. Without a connection it is {@link Outcome.Unknown}, and the store
     *     sends nothing
     */
    CompletionStage<Outcome> commit(List<NodeOp> operations);

    /**
     * Reads a node. The watch reports the first change after the state that was read, without a gap. It survives
     * reconnections, and then fires if the node changed in between, but ends with the session. If the read fails,
     * the watch may or may not exist.
     *
     * @param path path of the node
     * @param watch true to report once that the node was changed, created or deleted; the report may come before
     *     the answer
     * @return the node, empty if it does not exist; a {@link CoordinationException} if the answer is unknown
     */
    CompletionStage<Optional<Node>> read(String path, boolean watch);

    /**
     * Reads several nodes one after the other, as {@link #read(String, boolean)} does without a watch; in a single
     * request if the store supports that. The answers together must fit one response, which holds a few dozen
     * nodes of any size.
     *
     * @return one result for each path; each can fail on its own
     */
    default List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        return paths.stream().map(path -> read(path, false)).toList();
    }

    /**
     * Returns the names of the children of a node, in no order.
     *
     * @return the names, also empty if the node does not exist; a {@link CoordinationException} if the answer is
     *     unknown
     */
    CompletionStage<List<String>> children(String path);

    /**
     * Ensures that subsequent requests see every write, of any client, that was answered before this call.
     *
     * @return completes once this holds; a {@link CoordinationException} if the answer is unknown
     */
    CompletionStage<Void> sync();

    /**
     * Reports every change of a node and of its list of children until {@link #unwatch}. The watch survives
     * reconnections and new sessions, but does not report changes during a disconnection: read again after {@link
     * Listener#connected}. The watch covers all later requests to this store; concurrent writes of other clients
     * may precede it.
     *
     * @param path path of the node, which need not exist. A new watch replaces the previous watch of the same path
     * @param recursive true to include all descendants. A change is then reported for the changed node only, and
     *     not for the list of children of its parent
     */
    void watch(String path, boolean recursive);

    /** Ends a {@link #watch} if one exists. Reports that are already on their way still arrive. */
    void unwatch(String path);

    /**
     * Joins the leader election until {@link #resign}, also in new sessions. The candidate that has waited longest
     * leads.
     *
     * @param path parent of the candidate nodes; must exist
     * @param id data of this candidate's node, for people
     * @throws IllegalStateException if the store is already a candidate, or was not started
     */
    void campaign(String path, String id);

    /**
     * Leaves the leader election and gives up leadership. The store does not notify the listener, but reports that
     * are already on their way still arrive.
     */
    void resign();

    /**
     * Ends the session, so that its ephemeral nodes disappear at once. Without a connection they disappear when
     * the session expires. The call waits for the server for a bounded time. Open and later requests are answered
     * as unknown, and the listener gets no more events. A second call does nothing.
     */
    @Override
    void close();

    /**
     * Receives the events of a session and of its nodes: {@code connected}, then {@code suspended}, then either
     * {@code connected} with the same session, or {@code lost} and {@code connected} with a new one.
     */
    interface Listener {
        /**
         * The store is connected, for the first time or again.
         *
         * @param sessionId number of the session at the server
         * @param sessionTimeout session timeout negotiated with the server
         */
        void connected(long sessionId, Duration sessionTimeout);

        /** The connection is lost; the session may still exist. */
        void suspended();

        /**
         * The session has ended or must be treated as ended. A store may decide this by a local clock while
         * the server still keeps the session, or report it only with the next connection. Callers that must
         * know in time therefore need a clock of their own.
         */
        void lost();

        /**
         * The store cannot connect or use its connection, and keeps trying. Reported when the problem is found
         * and when it changes; ends with {@link #connected}.
         *
         * @param why text for operators: the attempt, the servers, and the remedy
         */
        default void hindered(String why) {}

        /**
         * The servers limit this client, although a connection may exist; information for operators.
         *
         * @param what the limit, in words for operators; null when it has ended
         */
        default void limited(@Nullable String what) {}

        /**
         * A watch fired: the node was changed, created or deleted, or its list of children has changed.
         * Reports and answers of a session arrive in the order in which the server sent them.
         *
         * @param deleted true if the node was deleted
         */
        void changed(String path, boolean deleted);

        /**
         * This store has won or lost the leadership. It is lost with the connection and can be won again
         * afterwards. The event is a hint, since the candidate node guards the writes of a leader.
         *
         * @param candidate path of the candidate node of this store if it leads; empty if it does not
         */
        void leadership(Optional<String> candidate);
    }
}
