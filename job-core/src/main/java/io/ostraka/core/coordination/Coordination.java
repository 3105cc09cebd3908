package io.ostraka.core.coordination;

import io.ostraka.api.CoordinationException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Port between the engine and the store that coordinates the instances of one namespace, in the terms of the protocol.
 *
 * <p>Thread-safe and non-blocking. Stages complete on the thread of the store, so dependent actions must only enqueue.
 * The stage of a read, or of a read-and-write change, fails with a {@link CoordinationException} if the result is
 * unknown.
 */
public interface Coordination extends AutoCloseable {
    /** Starts connecting in the background, retrying without limit; reports manual triggers from the beginning. */
    void start(Listener listener);

    /** Returns the operations on instances and their leader. */
    Membership membership();

    /** Returns the operations on jobs and their configuration. */
    Jobs jobs();

    /** Returns the operations on manual triggers and the progress of fires. */
    Fires fires();

    /** Returns the operations on plans and items. */
    Items items();

    /** Ends the session; the store deletes its ephemeral nodes. */
    @Override
    void close();

    /** Receives the events of the store. Implementations must only enqueue. */
    interface Listener {
        /**
         * The store is connected, for the first time or again. With a new session id, all ephemeral nodes of
         * the old session are deleted.
         */
        void connected(long sessionId, Duration sessionTimeout);

        /** The connection is lost; the session may still exist. */
        void suspended();

        /** The session has ended. */
        void lost();

        /** The store has no usable connection, for the given reason; ends with {@link #connected}. */
        default void hindered(String why) {}

        /**
         * The servers limit this client, although a connection may exist; information for operators.
         *
         * @param what the limit, in words for operators; null when it has ended
         */
        default void limited(@Nullable String what) {}

        /** This instance has won or lost the leadership. */
        void leadership(Optional<String> candidate);

        /** Instances were added, removed or changed. */
        void instancesChanged();

        /** A job's plan has changed. */
        void planChanged(String job);

        /** A job's definition or override has changed. */
        void configurationChanged(String job);

        /**
         * An event that an item waits for has happened: a running node was deleted, or a quarantined record
         * was changed.
         */
        void itemChanged(String job, String item);

        /** Manual triggers were added or deleted. */
        void triggersChanged();

        /**
         * One manual trigger was added, deleted or changed.
         *
         * @param name name of its node, which no other trigger ever gets
         * @param gone true if the node was deleted
         */
        void triggerChanged(String name, boolean gone);

        /** Delayed triggers were added or deleted; reported to the leader only. */
        default void delayedTriggersChanged() {}

        /** A fire's progress has changed. */
        void fireChanged(String job, String fire);
    }
}
