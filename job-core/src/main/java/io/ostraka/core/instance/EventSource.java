package io.ostraka.core.instance;

import io.ostraka.api.event.Event;
import io.ostraka.core.time.Clock;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Publishes the events of this client's commands.
 *
 * @param self returns the id of the instance; empty for an observer
 * @param clock clock of the events
 * @param receiver receives the events; an observer has no receiver
 */
public record EventSource(Supplier<String> self, Clock clock, Consumer<Event> receiver) {
    /** Creates an event from this client's instance id and the current time. */
    public interface Made {
        Event at(String instanceId, Instant now);
    }

    /** Returns a source that publishes nothing. */
    public static EventSource none(Clock clock) {
        return new EventSource(() -> "", clock, event -> {});
    }

    /** Publishes the event. */
    public void publish(Made event) {
        receiver.accept(event.at(self.get(), clock.now()));
    }
}
