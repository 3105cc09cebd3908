package io.ostraka.api.event;

import io.ostraka.api.metrics.Load;
import java.util.function.Supplier;

/**
 * Receives the events of an instance.
 *
 * <p>Each subscriber has a queue of its own. The engine calls {@link #on} on a worker thread, one event after the other, in the
 * order in which they were published; no run and no completion waits for it. The queue holds 100,000 events. When it is full,
 * the engine drops new events, counts them in {@link Load#events()} and logs a warning. At a shutdown the engine waits for the
 * queue, a bounded time, before it stops. An exception is logged once for each subscriber and has no other effect.
 *
 * <p>A subscriber only observes. Code that must hold a run back is a {@link io.ostraka.api.JobListener}, a {@link
 * io.ostraka.api.OnceListener} or a {@link io.ostraka.api.RunInterceptor}.
 */
public interface EventSubscriber {
    /**
     * Called once, when the instance starts.
     *
     * @param load returns how much is under way in the instance; quick, for any thread, at any time
     */
    default void started(Supplier<Load> load) {}

    /**
     * Returns whether this subscriber receives events of a kind. The engine asks once for each kind, before its first event; an
     * event that no subscriber receives is not even created.
     *
     * @param kind class of an event
     */
    default boolean receives(Class<? extends Event> kind) {
        return true;
    }

    /** Receives an event. */
    void on(Event event);
}
