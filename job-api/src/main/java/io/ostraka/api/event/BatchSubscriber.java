package io.ostraka.api.event;

import java.util.List;

/**
 * An event subscriber that receives events in batches, for example because it writes them to a file. A batch contains
 * the events that were published while the subscriber handled the previous batch, and in the ten milliseconds after
 * that. An event that follows a longer pause is delivered at once.
 */
public interface BatchSubscriber extends EventSubscriber {
    /**
     * Receives events. The engine calls this method in place of {@link #on(Event)}.
     *
     * @param events at most 1,000 events in the order of publication, at least one; unmodifiable
     */
    void on(List<Event> events);

    /** Receives a single event, as a batch of one. */
    @Override
    default void on(Event event) {
        on(List.of(event));
    }
}
