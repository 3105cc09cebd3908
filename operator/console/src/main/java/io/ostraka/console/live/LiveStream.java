package io.ostraka.console.live;

import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import java.util.function.BooleanSupplier;

/** Opens streams of live events. An adapter drives the streams over its transport. Thread-safe. */
public interface LiveStream {
    /**
     * Opens a stream. Does not block.
     *
     * @param request the request, as {@link io.ostraka.console.EventRoutes} has read it
     * @param caller the authenticated caller. The stream checks the caller's roles again before each event
     * @param valid returns false once the caller's session or token is no longer valid; the stream then ends. Called
     *     before each event and at each heartbeat, on threads of the feed and of the adapter, so it must not block
     * @throws io.ostraka.console.Problem if the caller may not see the namespace, or if there are too many streams
     */
    Subscription subscribe(EventRequest request, Caller caller, BooleanSupplier valid);
}
