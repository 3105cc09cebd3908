package io.ostraka.faults.recorder;

import io.ostraka.api.ShardingContext;
import io.ostraka.faults.history.Event;

/** Destination of the events of a {@link Recorder}: the history of a simulation, or the log of a worker process. */
public interface EventSink {
    /** Records an event. The event is stored when this method returns. */
    void record(Event event);

    /** Records the end of a call of user code, with the context of its run. */
    default void ended(ShardingContext context, Event.Ended ended) {
        record(ended);
    }
}
