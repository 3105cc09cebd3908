package io.ostraka.console.security;

import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import java.util.List;
import java.util.Set;

/**
 * Refuses writes that a page of another site makes a browser send, in an application that authenticates the callers by
 * itself. Such a browser adds the application's cookie or password to the request.
 */
public final class CrossSiteCheck {
    private static final Set<String> READS = Set.of("GET", "HEAD");
    private static final String BEARER = "Bearer ";

    private CrossSiteCheck() {}

    /**
     * Checks a request. A write must have a JSON body, which a form of another site cannot send, and must come from a
     * page of the host in its header {@code Host}. A write with a bearer token may come from anywhere, because no browser
     * adds such a token by itself.
     *
     * @throws Problem if the request is refused
     */
    public static void check(Request request) {
        if (READS.contains(request.method())) {
            return;
        }
        if (request.header("authorization")
                .filter(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .isEmpty()) {
            Hosts own = request.header("host")
                    .flatMap(Hosts::parse)
                    .map(host -> new Hosts(List.of(host.name())))
                    .orElseThrow(() -> new Problem(
                            Problem.Code.MISDIRECTED, "the header Host does not name one host; send exactly one"));
            new SameOrigin(own, List.of()).check(request);
        }
        SecuredApi.checkContentType(request);
    }
}
