package io.ostraka.faults.recorder;

import io.ostraka.api.ShardingContext;
import io.ostraka.faults.history.Event;

/** Where a {@link Recorder} writes its events: the history of a simulation, or the log of a worker process. */
public interface EventSink {
    /** Takes an event. The event is safe when this returns. */
    void record(Event event);

    /** Takes the end of a call of users' code, with the context of the run that the call belongs to. */
    default void ended(ShardingContext context, Event.Ended ended) {
        record(ended);
    }
}
