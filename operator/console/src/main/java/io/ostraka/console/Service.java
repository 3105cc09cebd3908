package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

/** The part of a console that answers authenticated callers. Thread-safe. */
public interface Service {
    /**
     * Answers a request.
     *
     * @throws Problem if the request is refused
     */
    Response handle(Request request, Caller caller);

    /** Returns a description of the console for its pages: its version, and the views that it has. */
    JsonObject about();

    /** Returns the response in which a caller sees its own name and grants, and the description of the console. */
    default Response shown(Caller caller) {
        JsonObject json = new JsonObject();
        json.addProperty("name", caller.name());
        json.addProperty("origin", caller.origin());
        JsonArray grants = new JsonArray();
        caller.shownGrants().forEach(grants::add);
        json.add("grants", grants);
        json.add("console", about());
        return Response.json(200, json);
    }
}
