package io.ostraka.console.security;

import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Refuses requests that a page of another site makes a browser send (cross-site request forgery). Such a request can
 * look authentic, because the browser adds the session's cookie and the proxy adds the user's name. Immutable.
 */
final class SameOrigin {
    private final Hosts hosts;
    private final Set<String> publicOrigins;

    /**
     * @param publicOrigins origins under which people reach the console through a proxy; empty to derive the origin
     *     from each request
     * @throws IllegalArgumentException if an origin is not accepted
     */
    SameOrigin(Hosts hosts, Collection<String> publicOrigins) {
        this.hosts = hosts;
        Set<String> origins = new TreeSet<>();
        for (String each : publicOrigins) {
            origins.add(normal(each)
                    .orElseThrow(() -> new IllegalArgumentException("origin '" + Names.printable(each)
                            + "' is not accepted; accepted: scheme, host and optional port, such as"
                            + " https://console.example.com")));
        }
        this.publicOrigins = origins;
    }

    /**
     * Checks a request that is not a read.
     *
     * @throws Problem if the request does not come from a page of this console
     */
    void check(Request request) {
        boolean accepted = request.headers().containsKey("sec-fetch-site")
                ? request.header("sec-fetch-site").filter("same-origin"::equals).isPresent()
                : request.header("origin")
                        .flatMap(SameOrigin::normal)
                        .filter(origin -> isOwn(origin, request))
                        .isPresent();
        if (!accepted) {
            throw new Problem(
                    Problem.Code.FORBIDDEN,
                    "the request does not come from a page of this console; open the console itself, or use a token");
        }
    }

    private boolean isOwn(String origin, Request request) {
        if (!publicOrigins.isEmpty()) {
            return publicOrigins.contains(origin);
        }
        Hosts.Host host = hosts.of(request);
        return normal((request.secure() ? "https://" : "http://") + host.name() + host.port())
                .filter(origin::equals)
                .isPresent();
    }

    /** Returns an origin in lower case and without the default port; empty if the text is not an origin. */
    private static Optional<String> normal(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        for (String scheme : Set.of("http", "https")) {
            String start = scheme + "://";
            if (lower.startsWith(start)) {
                String defaultPort = scheme.equals("http") ? ":80" : ":443";
                return Hosts.parse(lower.substring(start.length()))
                        .map(host -> start + host.name() + (host.port().equals(defaultPort) ? "" : host.port()));
            }
        }
        return Optional.empty();
    }
}
