package io.ostraka.console.security;

import io.ostraka.console.Request;
import java.util.ArrayList;
import java.util.List;

/** The cookie with the id of a session. Scripts cannot read it, and other sites cannot set it. */
final class Cookie {
    static final String NAME = "__Host-ostraka";

    private static final String ATTRIBUTES = "; Path=/; Secure; HttpOnly; SameSite=Lax";

    private Cookie() {}

    /** Returns the values of all cookies with the name of the session's cookie. */
    static List<String> values(Request request) {
        List<String> values = new ArrayList<>();
        for (String header : request.headers().getOrDefault("cookie", List.of())) {
            for (String each : header.split(";", -1)) {
                String cookie = each.strip();
                if (cookie.startsWith(NAME + "=")) {
                    values.add(cookie.substring(NAME.length() + 1));
                }
            }
        }
        return values;
    }

    /** Returns the value of {@code Set-Cookie} for a new session. */
    static String of(String id) {
        return NAME + "=" + id + ATTRIBUTES;
    }

    /** Returns the value of {@code Set-Cookie} that makes the browser forget the session. */
    static String gone() {
        return NAME + "=" + ATTRIBUTES + "; Max-Age=0";
    }
}
