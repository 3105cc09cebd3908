package io.ostraka.console.live;

import io.ostraka.console.Response;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request, which an adapter sends over its transport.
 *
 * @param response the response; without a body if it is a stream
 * @param events the stream of events, which takes the place of the body; null if the response is complete
 */
public record Reply(Response response, @Nullable Subscription events) {
    /** Returns a complete response. */
    public static Reply of(Response response) {
        return new Reply(response, null);
    }

    /** Returns a stream of events. A proxy must neither store nor buffer the response. */
    public static Reply of(Subscription events) {
        Response begun =
                Response.empty(200).with("Content-Type", "text/event-stream").with("X-Accel-Buffering", "no");
        return new Reply(begun, events);
    }
}
