package io.ostraka.api.event;

import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Status;

/**
 * Receives the events of an instance. Pass a subscriber to the registry's builder.
 *
 * <p>Each subscriber has its own queue for up to 100,000 events. The engine calls {@link #on} on a worker thread, one
 * event after the other, in the order of publication. Runs do not wait for these calls. When the queue is full, the
 * engine drops new events, counts them in {@link Load#events()} and logs an error. At a shutdown, the engine waits for
 * a limited time until the queue is empty. The engine logs the first exception of a subscriber and ignores its further
 * exceptions.
 *
 * <p>Use a {@link BatchSubscriber} if it is expensive to handle each event in a call of its own.
 *
 * <p>A subscriber only observes. To delay or refuse a run, use a {@link io.ostraka.api.JobListener}, a {@link
 * io.ostraka.api.OnceListener} or a {@link io.ostraka.api.RunInterceptor}.
 */
public interface EventSubscriber {
    /**
     * Called once, when the instance starts. Does nothing by default.
     *
     * @param context access to the instance; any thread may call its methods at any time
     */
    default void started(SubscriberContext context) {}

    /**
     * Returns whether this subscriber receives events of a kind; true by default. The engine calls this method once for
     * each kind, before the first event of the kind. If no subscriber receives a kind, the engine does not create its
     * events.
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

    /**
     * Receives the state of the jobs. The engine calls this method every few seconds on a worker thread, between the
     * calls of {@link #on}, and once with {@link Status#NONE} when the instance closes. If the subscriber is slow, it
     * receives only the latest state. Does nothing by default.
     */
    default void status(Status status) {}

    /**
     * Called when events were dropped because this subscriber was too slow. The engine calls this method on a worker
     * thread, between the calls of {@link #on}, before it delivers further events. Does nothing by default.
     *
     * @param count number of events that were dropped since the last call
     */
    default void dropped(long count) {}
}
