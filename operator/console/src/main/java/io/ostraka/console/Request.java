package io.ostraka.console;

import com.google.gson.JsonObject;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A request as the transport has received it. All parts come from the network and have not been checked yet.
 *
 * @param method HTTP method in capital letters
 * @param path path as sent, still percent-encoded, such as {@code /api/v1/namespaces}
 * @param query query as sent, still percent-encoded; empty if there is none
 * @param headers headers by name in lower case; a header that was sent several times has several values
 * @param body body; empty if there is none
 * @param client address of the client, for the audit; the name of the transport if there is no network
 * @param secure true if the connection of the client is encrypted
 */
public record Request(
        String method,
        String path,
        String query,
        Map<String, List<String>> headers,
        byte[] body,
        String client,
        boolean secure) {
    /** Largest accepted body in bytes. */
    public static final int LARGEST_BODY = Body.LARGEST;

    /** Copies the headers with names in lower case. Names that differ only in their case are one header. */
    public Request {
        Map<String, List<String>> copy = new TreeMap<>();
        headers.forEach((name, values) ->
                copy.merge(name.toLowerCase(Locale.ROOT), List.copyOf(values), (some, more) -> Stream.concat(
                                some.stream(), more.stream())
                        .toList()));
        headers = Collections.unmodifiableMap(copy);
    }

    /** Returns whether the method is HEAD. The response is then the response to {@link #asGet} without its body. */
    public boolean isHead() {
        return method.equals("HEAD");
    }

    /** Returns this request with the method GET. */
    public Request asGet() {
        return new Request("GET", path, query, headers, body, client, secure);
    }

    /** Returns this request with another body. */
    public Request with(byte[] other) {
        return new Request(method, path, query, headers, other, client, secure);
    }

    /** Returns the value of a header that was sent once; empty if it was sent never or several times. */
    public Optional<String> header(String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.size() == 1 ? Optional.of(values.get(0)) : Optional.empty();
    }

    /**
     * Returns the JSON object in the body; an empty object if there is no body.
     *
     * @throws Problem if the body is not a JSON object
     */
    public JsonObject json() {
        return Body.object(this);
    }
}
