package io.ostraka.api.event;

import io.ostraka.api.metrics.Load;
import java.util.function.Supplier;

/**
 * Receives the events of an instance.
 *
 * <p>Each subscriber has its own queue of 100,000 events. The engine calls {@link #on} on a worker thread, one event
 * after the other, in the order of publication; no run and no completion waits for it. When the queue is full, the
 * engine drops new events, counts them in {@link Load#events()} and logs a warning. At a shutdown the engine waits a
 * limited time for the queue to empty before it stops. It logs an exception once for each subscriber and otherwise
 * ignores it.
 *
 * <p>A subscriber only observes. To hold a run back, use a {@link io.ostraka.api.JobListener}, a {@link
 * io.ostraka.api.OnceListener} or a {@link io.ostraka.api.RunInterceptor}.
 */
public interface EventSubscriber {
    /**
     * Called once, when the instance starts. Does nothing by default.
     *
     * @param load returns the present load of the instance; it is quick, and any thread may call it at any time
     */
    default void started(Supplier<Load> load) {}

    /**
     * Returns whether this subscriber receives events of a kind; true by default. The engine asks once for each kind,
     * before its first event, and does not create events that no subscriber receives.
     *
     * @param kind class of an event
     */
    default boolean receives(Class<? extends Event> kind) {
        return true;
    }

    /**
     * Receives an event.
     *
     * @param event the event
     */
    void on(Event event);
}
