package io.ostraka.console;

import com.google.gson.JsonObject;

/** The part of a console that answers authenticated callers. Thread-safe. */
public interface Service {
    /**
     * Answers a request.
     *
     * @throws Problem if the request is refused
     */
    Response handle(Request request, Caller caller);

    /** Describes the console for its pages: its version, and the views that it has. */
    JsonObject about();
}
