package io.ostraka.core.coordination;

import io.ostraka.api.CoordinationException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The engine's interface to the coordination service, such as ZooKeeper, for one namespace. Its operations concern
 * jobs, items and instances, not nodes.
 *
 * <p>Thread-safe and non-blocking. The returned stages complete on the store's thread, so dependent actions must only
 * enqueue work. If the result of an operation is unknown, its stage fails with a {@link CoordinationException}, unless
 * the result type has a value for this case, such as {@link TransactionResult.Unknown}.
 */
public interface Coordination extends AutoCloseable {
    /**
     * Starts connecting in the background and retries without limit.
     */
    void start(Listener listener);

    Membership membership();

    Jobs jobs();

    Fires fires();

    Backfills backfills();

    Items items();

    Alarms alarms();

    Settings settings();

    /** Ends the session. The coordination service then deletes the ephemeral nodes of the session. */
    @Override
    void close();

    /** Receives the events of the store. Implementations must only enqueue work. */
    interface Listener {
        /**
         * Called when the store has connected or reconnected. If the session id is new, the ephemeral nodes of the
         * earlier session no longer exist.
         */
        void connected(long sessionId, Duration sessionTimeout);

        /** Called when the connection is lost. The session may still exist. */
        void suspended();

        /** Called when the session has ended or must be treated as ended. */
        void lost();

        /**
         * Called when the store has no usable connection. The next call of {@link #connected} reports that the problem
         * has ended.
         *
         * @param why description of the problem, for operators
         */
        default void hindered(String why) {}

        /**
         * Called when the servers limit this client, for example by throttling, and when the limit has ended. This call
         * only informs operators; the connection may still work.
         *
         * @param what description of the limit for operators; null if the limit has ended
         */
        default void limited(@Nullable String what) {}

        /**
         * Called when this instance has become leader or has lost the leadership.
         *
         * @param candidate path of this instance's node in the leader election if it leads; otherwise empty
         */
        void leadership(Optional<String> candidate);

        /** Called when instances were added, removed or changed. */
        void instancesChanged();

        /** Called when a job's plan has changed. */
        void planChanged(String job);

        /** Called when a job's definition or override has changed. */
        void configurationChanged(String job);

        /**
         * Called when an item must be read again. Either its running node (the ephemeral node that marks the item as
         * running) was deleted, or the item waits for an operator and its record has changed, see {@link Items.Watch}.
         */
        void itemChanged(String job, String item);

        /** Called when manual triggers were added or deleted. */
        void triggersChanged();

        /**
         * Called when one manual trigger was added, deleted or changed.
         *
         * @param name name of the trigger's node; names are never reused
         * @param gone true if the node was deleted
         */
        void triggerChanged(String name, boolean gone);

        /** Called when delayed triggers were added or deleted. Only the leader receives this event. */
        default void delayedTriggersChanged() {}

        /** Called when backfills have changed. Only the leader receives this event. */
        default void backfillsChanged() {}

        /** Called when the published health of an instance has changed. Only the leader receives this event. */
        default void healthChanged() {}

        /** Called when stops of fires were added or deleted. */
        default void stopsChanged() {}

        /** Called when the operators' orders for the namespace have changed. */
        default void ordersChanged() {}

        /** Called when a fire's progress has changed. */
        void fireChanged(String job, String fire);
    }
}
