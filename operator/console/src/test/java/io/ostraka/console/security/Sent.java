package io.ostraka.console.security;

import io.ostraka.console.Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Builds requests. A request names the host {@code localhost:8080}, and a write has a JSON body. */
public final class Sent {
    private final String method;
    private final String path;
    private final Map<String, List<String>> headers = new TreeMap<>();
    private byte[] body;
    private String client = "192.0.2.1";
    private boolean secure;

    private Sent(String method, String path, byte[] body) {
        this.method = method;
        this.path = path;
        this.body = body;
        headers.put("host", List.of("localhost:8080"));
    }

    public static Sent get(String path) {
        return new Sent("GET", path, new byte[0]);
    }

    public static Sent delete(String path) {
        return new Sent("DELETE", path, new byte[0]);
    }

    public static Sent post(String path, String json) {
        return new Sent("POST", path, json.getBytes(StandardCharsets.UTF_8)).with("content-type", "application/json");
    }

    public static Sent of(String method, String path) {
        return new Sent(method, path, new byte[0]);
    }

    static Sent login(String user, String password) {
        return post("/api/v1/session", "{\"user\":\"" + user + "\",\"password\":\"" + password + "\"}")
                .fromOwnPage();
    }

    /** Sets a header; no value removes it, and several values repeat it. */
    public Sent with(String name, String... values) {
        headers.remove(name);
        if (values.length > 0) {
            headers.put(name, List.of(values));
        }
        return this;
    }

    /** Adds a value of a header. */
    Sent and(String name, String value) {
        List<String> values = new ArrayList<>(headers.getOrDefault(name, List.of()));
        values.add(value);
        headers.put(name, values);
        return this;
    }

    Sent fromOwnPage() {
        return with("sec-fetch-site", "same-origin");
    }

    public Sent bearer(String token) {
        return with("authorization", "Bearer " + token);
    }

    Sent session(String id) {
        return with("cookie", cookie() + id);
    }

    /** Returns the name of the session's cookie at the host of this request, followed by an equals sign. */
    String cookie() {
        String set = Cookie.of("", request());
        return set.substring(0, set.indexOf('=') + 1);
    }

    Sent from(String address) {
        client = address;
        return this;
    }

    Sent body(byte[] bytes) {
        body = bytes;
        return this;
    }

    Sent secure() {
        secure = true;
        return this;
    }

    public Request request() {
        int question = path.indexOf('?');
        return new Request(
                method,
                question < 0 ? path : path.substring(0, question),
                question < 0 ? "" : path.substring(question + 1),
                headers,
                body,
                client,
                secure);
    }
}
