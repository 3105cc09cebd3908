package io.ostraka.console.security;

import io.ostraka.console.Request;
import java.util.ArrayList;
import java.util.List;

/**
 * The cookie with the id of a session. Scripts cannot read it, and other sites cannot set it. Browsers send the cookies of a
 * host to all its ports, so the name contains the port: several consoles of one host do not replace each other's session.
 */
final class Cookie {
    private static final String NAME = "__Host-ostraka";

    private static final String ATTRIBUTES = "; Path=/; Secure; HttpOnly; SameSite=Lax";

    private Cookie() {}

    /** Returns the name of the cookie for the port in the header {@code Host} of a request, followed by an equals sign. */
    private static String begin(Request request) {
        String port = request.header("host")
                .flatMap(Hosts::parse)
                .map(Hosts.Host::port)
                .orElse("");
        return NAME + port.replace(':', '-') + "=";
    }

    /** Returns the values of all cookies with the name of the session's cookie. */
    static List<String> values(Request request) {
        String begin = begin(request);
        List<String> values = new ArrayList<>();
        for (String header : request.headers().getOrDefault("cookie", List.of())) {
            for (String each : header.split(";", -1)) {
                String cookie = each.strip();
                if (cookie.startsWith(begin)) {
                    values.add(cookie.substring(begin.length()));
                }
            }
        }
        return values;
    }

    /** Returns the value of {@code Set-Cookie} for a new session. */
    static String of(String id, Request request) {
        return begin(request) + id + ATTRIBUTES;
    }

    /** Returns the value of {@code Set-Cookie} that makes the browser forget the session. */
    static String gone(Request request) {
        return begin(request) + ATTRIBUTES + "; Max-Age=0";
    }
}
