package io.ostraka.api.event;

import io.ostraka.api.metrics.Load;
import org.jspecify.annotations.Nullable;

/** The instance as an {@link EventSubscriber} sees it. Thread-safe; the methods return quickly. */
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
     * Reports that the subscriber has lost events for good, although it keeps the history. The leader then raises the
     * alarm {@link io.ostraka.api.AlarmKind#HISTORY_LOST}. Does nothing by default.
     */
    default void historyLost() {}
}
