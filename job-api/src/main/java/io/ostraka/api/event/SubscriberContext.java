package io.ostraka.api.event;

import io.ostraka.api.metrics.Load;
import org.jspecify.annotations.Nullable;

/** Gives an {@link EventSubscriber} access to its instance. Thread-safe; the methods return quickly. */
public interface SubscriberContext {
    /** Returns the namespace of the application. */
    String namespace();

    /** Returns the current load of the instance. */
    Load load();

    /**
     * Reports a problem of the subscriber that an operator must solve. The health of the instance shows it, and the
     * engine logs it once. Jobs are not affected.
     *
     * @param text description of the problem and its solution; null when the problem has ended
     */
    void problem(@Nullable String text);

    /**
     * Reports that a subscriber that keeps the history has permanently lost events. The leader then raises the alarm
     * {@link io.ostraka.api.AlarmKind#HISTORY_LOST}. Does nothing by default.
     */
    default void historyLost() {}
}
