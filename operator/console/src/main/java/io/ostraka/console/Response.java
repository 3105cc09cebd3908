package io.ostraka.console;

import com.google.gson.JsonElement;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A response to a request. Immutable, except for the bytes of the body.
 *
 * @param status HTTP status code
 * @param headers headers by name
 * @param body body; empty if there is none
 */
public record Response(int status, Map<String, String> headers, byte[] body) {
    private static final String JSON = "application/json";

    /** Headers of every response, unless the response sets them itself. */
    private static final Map<String, String> COMMON = Map.of(
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cache-Control", "no-store");

    /** Copies the headers. */
    public Response {
        headers = Collections.unmodifiableMap(new TreeMap<>(headers));
    }

    /** Returns a response with a JSON body. */
    public static Response json(int status, JsonElement body) {
        return json(status, JSON, body);
    }

    static Response json(int status, String type, JsonElement body) {
        return new Response(status, Map.of("Content-Type", type, "Cache-Control", "no-store"), bytes(body));
    }

    /** Returns a response without a body. */
    public static Response empty(int status) {
        return new Response(status, Map.of("Cache-Control", "no-store"), new byte[0]);
    }

    /** Returns this response with one more header. */
    public Response with(String name, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(name, value);
        return new Response(status, more, body);
    }

    /** Returns this response with another JSON body. */
    Response with(JsonElement other) {
        return new Response(status, headers, bytes(other));
    }

    private static byte[] bytes(JsonElement json) {
        return (json + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the response to HEAD: without the body, but with its length in the header {@code Content-Length}. */
    public Response withoutBody() {
        return body.length == 0
                ? this
                : new Response(status, with("Content-Length", String.valueOf(body.length)).headers, new byte[0]);
    }

    /** Returns the headers that an adapter sends: the own ones, those of every response, and the length of the body. */
    public Map<String, String> sentHeaders() {
        Map<String, String> sent = new TreeMap<>(COMMON);
        sent.putAll(headers);
        if (body.length > 0) { // the response to HEAD has the length of the body that it leaves out
            sent.put("Content-Length", String.valueOf(body.length));
        }
        return sent;
    }

    /** Returns the body as text. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
