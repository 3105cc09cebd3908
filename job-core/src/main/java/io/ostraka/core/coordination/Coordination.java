package io.ostraka.core.coordination;

import io.ostraka.api.CoordinationException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What instances of one namespace do together, in the protocol's own words: the port between the engine and the store
 * that coordinates it.
 *
 * <p>Thread-safe, never blocks. Stages are completed on the store's thread: whoever gets them only enqueues. A stage of
 * something read, or changed by reading and writing, fails with a {@link CoordinationException} when it can't be known
 * what became of it.
 */
public interface Coordination extends AutoCloseable {
    /** Starts connecting, in the background and for ever; reports manual triggers from the beginning. */
    void start(Listener listener);

    /** Returns which instances there are, and which of them leads. */
    Membership membership();

    /** Returns which jobs there are, and what is wanted of them. */
    Jobs jobs();

    /** Returns manual triggers, and how far fires are. */
    Fires fires();

    /** Returns the plan, the items, and what is done to them. */
    Items items();

    /** Ends the session; the store's ephemeral nodes go. */
    @Override
    void close();

    /** Is told what happens; only enqueues. */
    interface Listener {
        /** A connection is there, first or again; with another session id everything of the old session is gone. */
        void connected(long sessionId, Duration sessionTimeout);

        /** The connection is gone; the session may live. */
        void suspended();

        /** The session is over. */
        void lost();

        /** There is no connection that can be used, and this is why. Over with {@link #connected}. */
        default void hindered(String why) {}

        /**
         * Reports that the servers limit this client although a connection may exist; for operators only.
         *
         * @param what the limit in words for an operator; null when it has ended
         */
        default void limited(@Nullable String what) {}

        /** Leadership was won or lost. */
        void leadership(Optional<String> candidate);

        /** Instances have come, gone or changed. */
        void instancesChanged();

        /** A job's plan has changed. */
        void planChanged(String job);

        /** A job's definition or override has changed. */
        void configurationChanged(String job);

        /** What an item waited for is there: a running node is gone, or a quarantined record has changed. */
        void itemChanged(String job, String item);

        /** Manual triggers have come or gone. */
        void triggersChanged();

        /**
         * One manual trigger has come, gone or changed.
         *
         * @param name its node's name, which no other trigger ever gets
         * @param gone true if it was deleted
         */
        void triggerChanged(String name, boolean gone);

        /** Triggers that are to come later have come or gone; only told to who leads. */
        default void delayedTriggersChanged() {}

        /** A fire's progress has changed. */
        void fireChanged(String job, String fire);
    }
}
