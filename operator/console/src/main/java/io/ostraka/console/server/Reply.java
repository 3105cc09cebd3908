package io.ostraka.console.server;

import io.ostraka.console.Response;
import io.ostraka.console.live.Subscription;
import java.util.Map;

/** The answer to a request. */
sealed interface Reply {
    /** A response that is complete. */
    record Whole(Response response) implements Reply {}

    /**
     * A stream of events, which has no end of its own.
     *
     * @param headers headers of the response
     * @param events the events
     */
    record Stream(Map<String, String> headers, Subscription events) implements Reply {}
}
