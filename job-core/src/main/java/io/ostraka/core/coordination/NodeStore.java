package io.ostraka.core.coordination;

import io.ostraka.api.CoordinationException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A session with a tree of versioned nodes that behaves as ZooKeeper does: what an adapter has to bring. It knows paths
 * and bytes; all meaning is {@link Coordination}'s. Paths are absolute within the namespace, such as {@code /jobs}.
 *
 * <p>Thread-safe, never blocks. Requests of one session are carried out in the order in which they were made. Stages are
 * completed, and the listener is called, on the store's own thread: whoever gets them must only enqueue. One session at
 * a time: after it is lost the store makes a new one by itself.
 */
public interface NodeStore extends AutoCloseable {
    /**
     * Starts connecting, in the background and for ever.
     *
     * @param listener told everything from now on
     */
    void start(Listener listener);

    /**
     * Carries out all operations at once or none, sending them exactly once.
     *
     * @param operations at least one
     * @return what became of it; never exceptional. Without a connection it is {@link Outcome.Unknown}
     */
    CompletionStage<Outcome> commit(List<NodeOp> operations);

    /**
     * Reads a node.
     *
     * @param path where
     * @param watch whether to report, once, that this node was changed, created or deleted
     * @return the node, empty if there is none; a {@link CoordinationException} when it can't be known
     */
    CompletionStage<Optional<Node>> read(String path, boolean watch);

    /**
     * Lists the names of a node's children, in no order.
     *
     * @return empty if the node is missing too; a {@link CoordinationException} when it can't be known
     */
    CompletionStage<List<String>> children(String path);

    /** Makes requests that follow see every write that had been answered, to anyone, when this was called. */
    CompletionStage<Void> sync();

    /**
     * Reports every change of a node and of its list of children, for good. The watch survives reconnections and new
     * sessions, but what changed while disconnected is not reported: read again after {@link Listener#connected}.
     *
     * @param path where; need not exist
     * @param recursive whether the whole subtree counts
     */
    void watch(String path, boolean recursive);

    /** Ends a {@link #watch}. */
    void unwatch(String path);

    /**
     * Stands for leader until {@link #resign}, over new sessions too.
     *
     * @param path parent of the candidates' nodes; exists
     * @param id data of this candidate's node, for people
     */
    void campaign(String path, String id);

    /** Stops standing for leader and gives the place up. */
    void resign();

    /** Ends the session, so that its ephemeral nodes go at once. Waits a bounded time for the server. */
    @Override
    void close();

    /** Is told what happens to a store's session and nodes. */
    interface Listener {
        /**
         * A connection is there, first or again.
         *
         * @param sessionId the server's number of the session
         * @param sessionTimeout as negotiated with the server
         */
        void connected(long sessionId, Duration sessionTimeout);

        /** The connection is gone; the session may still live. */
        void suspended();

        /** The session is over, or must be taken as over. */
        void lost();

        /** A watch fired on this path. */
        void changed(String path);

        /**
         * Leadership was won or lost. A hint: what a leader writes is guarded by its node.
         *
         * @param candidate path of this store's own candidate node when it leads
         */
        void leadership(Optional<String> candidate);
    }
}
