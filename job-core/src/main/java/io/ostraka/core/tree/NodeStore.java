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
 * A session with a tree of versioned nodes that behaves as ZooKeeper does: what an adapter has to bring. It knows paths
 * and bytes; all meaning is {@link Coordination}'s. Paths are absolute within the namespace, such as {@code /jobs}.
 *
 * <p>Thread-safe, never blocks. Requests of one session are carried out in the order in which they were made. Stages
 * are completed, and the listener is called, on the store's own thread, in the order in which things happened: whoever
 * gets them must only enqueue. One session at a time: after it is lost the store makes a new one by itself.
 *
 * <p>What is unanswered when the connection goes is answered as unknown before the listener is told of it, and what is
 * asked without a connection before the next one is told: whoever gets {@link Outcome.Unknown} and waits for
 * {@link Listener#connected} waits for one that still comes, until the store is closed.
 *
 * <p>Paths are those of ZooKeeper; the root exists and is neither created nor deleted. What cannot be a request (a path
 * that is none, an empty transaction) is an {@link IllegalArgumentException} of the call.
 */
public interface NodeStore extends AutoCloseable {
    /**
     * Starts connecting, in the background and for ever.
     *
     * @param listener told everything from now on; what it throws is logged, or left to the executor that it is called
     *     on, and the store goes on
     * @throws IllegalStateException if it was started before, or is closed
     */
    void start(Listener listener);

    /**
     * Carries out all operations at once or none, sending them exactly once.
     *
     * @param operations at least one; together about a megabyte at most, or the whole is rejected
     * @return what became of it; never exceptional. Without a connection it is {@link Outcome.Unknown}, and nothing is
     *     sent
     */
    CompletionStage<Outcome> commit(List<NodeOp> operations);

    /**
     * Reads a node. The watch reports what changes after the state that was read: no change falls between the two. It
     * is kept over reconnections, and fires then if the node changed meanwhile, but ends with the session. When the
     * read fails, whether there is a watch can't be known either.
     *
     * @param path where
     * @param watch whether to report, once, that this node was changed, created or deleted; maybe before the read is
     *     answered
     * @return the node, empty if there is none; a {@link CoordinationException} when it can't be known
     */
    CompletionStage<Optional<Node>> read(String path, boolean watch);

    /**
     * Reads several nodes one after the other, as {@link #read(String, boolean)} does without a watch, in a single request
     * where the store knows such. Together they must fit the answer to it: a few dozens always do.
     *
     * @return of each path, what reading it comes to: that one can't be known says nothing of the others
     */
    default List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        return paths.stream().map(path -> read(path, false)).toList();
    }

    /**
     * Lists the names of a node's children, in no order.
     *
     * @return empty if the node is missing too; a {@link CoordinationException} when it can't be known
     */
    CompletionStage<List<String>> children(String path);

    /**
     * Makes requests that follow see every write that had been answered, to anyone, when this was called.
     *
     * @return when that is so; a {@link CoordinationException} when it can't be known
     */
    CompletionStage<Void> sync();

    /**
     * Reports every change of a node and of its list of children, for good. The watch survives reconnections and new
     * sessions, but what changed while disconnected is not reported: read again after {@link Listener#connected}. It is
     * in place for whatever is asked of this store afterwards; what others do at the same time may come before it.
     *
     * @param path where; need not exist. Another watch of the same path replaces the first
     * @param recursive whether all below counts too. Then a change is reported as the node's own alone, not as one of
     *     its parent's list of children
     */
    void watch(String path, boolean recursive);

    /** Ends a {@link #watch}, if there is one; reports that are on their way still come. */
    void unwatch(String path);

    /**
     * Stands for leader until {@link #resign}, over new sessions too. Who has stood longest leads.
     *
     * @param path parent of the candidates' nodes; exists
     * @param id data of this candidate's node, for people
     * @throws IllegalStateException if it stands already, or was not started
     */
    void campaign(String path, String id);

    /**
     * Stops standing for leader and gives the place up, if it stands. The listener isn't told, but what is on its way
     * still comes.
     */
    void resign();

    /**
     * Ends the session, so that its ephemeral nodes go at once; without a connection they go when it expires. Waits a
     * bounded time for the server. What is unanswered, or asked later, is unknown; the listener is told nothing more. A
     * second call does nothing.
     */
    @Override
    void close();

    /**
     * Is told what happens to a store's session and nodes: {@code connected}, then {@code suspended}, then either
     * {@code connected} with the same session, or {@code lost} and {@code connected} with another.
     */
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

        /**
         * The session is over, or must be taken as over: some time without a connection may count as that, by a local
         * clock, while the server still keeps it. Or it comes only when there is a connection again: who must know in
         * time that the session may be over keeps a clock of its own.
         */
        void lost();

        /**
         * Something keeps the store from connecting, or from using its connection, and it goes on trying: told when it is
         * found out, and again when it is something else. Over with {@link #connected}.
         *
         * @param why for people: what was tried, at which servers, and what to do
         */
        default void hindered(String why) {}

        /**
         * Reports that the servers limit this client although a connection may exist; for operators only.
         *
         * @param what the limit in words for an operator; null when it has ended
         */
        default void limited(@Nullable String what) {}

        /**
         * A watch fired on this path: it was changed, created or deleted, or its list of children has changed. The reports and
         * the answers of a session come in the order in which the server sent them.
         *
         * @param deleted true if the node was deleted
         */
        void changed(String path, boolean deleted);

        /**
         * Leadership was won or lost; it is lost with the connection, and won again after it. A hint: what a leader
         * writes is guarded by its node.
         *
         * @param candidate path of this store's own candidate node when it leads; empty when it doesn't any more
         */
        void leadership(Optional<String> candidate);
    }
}
