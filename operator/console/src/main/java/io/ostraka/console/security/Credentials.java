package io.ostraka.console.security;

import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests: by a bearer token, by the cookie of a session, or by the headers of a trusted proxy. Each
 * credential of a request must be valid, and all must name the same caller. Thread-safe.
 */
final class Credentials {
    private static final String SCHEME = "bearer ";

    private final Tokens tokens;
    private final Sessions sessions;
    private final @Nullable TrustedProxy proxy;
    private final BiFunction<String, String, Map<String, String>> labels;
    private final InstantSource clock;

    Credentials(
            SecuritySettings settings,
            Sessions sessions,
            BiFunction<String, String, Map<String, String>> labels,
            InstantSource clock) {
        this.tokens = new Tokens(settings.tokens());
        this.sessions = sessions;
        this.proxy = settings.proxy();
        this.labels = labels;
        this.clock = clock;
    }

    /**
     * Returns the caller of a request.
     *
     * @param use true to count the request as use of its session
     * @throws Problem if the request has no valid credential, or if its credentials disagree
     */
    GrantedCaller authenticate(Request request, boolean use) {
        List<GrantedCaller> callers = new ArrayList<>();
        byToken(request).ifPresent(callers::add);
        bySession(request, use).ifPresent(callers::add);
        byProxy(request).ifPresent(callers::add);
        if (callers.isEmpty()) {
            throw unauthenticated("the request names no caller; log in, or send a token");
        }
        GrantedCaller caller = callers.get(0);
        if (!callers.stream().allMatch(each -> each.name().equals(caller.name()))) {
            throw unauthenticated("the request has credentials of several callers; send one credential");
        }
        if (caller.grants().isEmpty()) {
            throw new Problem(
                    Problem.Code.FORBIDDEN,
                    "'" + caller.name() + "' has no role here; ask an administrator for a grant");
        }
        return caller;
    }

    /**
     * Checks that a login has no other credential than its body. The cookie of an earlier session is accepted, because
     * the login replaces it.
     *
     * @throws Problem if the request also has a token, or if the proxy names a user
     */
    void requireNone(Request request) {
        if (request.headers().containsKey("authorization") || proxy != null && proxy.isNamedBy(request)) {
            throw unauthenticated(
                    "a login must not have another credential; leave out the token and the proxy's headers");
        }
    }

    /** Returns the address of the client of a request, as far as it is known for certain. */
    String client(Request request) {
        return proxy == null ? request.client() : proxy.client(request);
    }

    private Optional<GrantedCaller> byToken(Request request) {
        if (!request.headers().containsKey("authorization")) {
            return Optional.empty();
        }
        String token = request.header("authorization")
                .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(SCHEME))
                .map(header -> header.substring(SCHEME.length()).strip())
                .orElse("");
        return Optional.of(tokens.find(token, clock.instant())
                .map(found -> new GrantedCaller(found.name(), GrantedCaller.TOKEN, new Grants(found.grants(), labels)))
                .orElseThrow(() -> unauthenticated("the token is not valid, or has expired; create a new token")));
    }

    private Optional<GrantedCaller> bySession(Request request, boolean use) {
        List<String> ids = Cookie.values(request);
        if (ids.isEmpty()) {
            return Optional.empty();
        }
        Optional<GrantedCaller> caller = ids.size() == 1 ? sessions.find(ids.get(0), use) : Optional.empty();
        if (caller.isEmpty()) {
            throw unauthenticated("the session has ended; log in again").header("Set-Cookie", Cookie.gone(request));
        }
        return caller;
    }

    private Optional<GrantedCaller> byProxy(Request request) {
        return Optional.ofNullable(proxy)
                .flatMap(trusted -> trusted.user(request))
                .map(user -> new GrantedCaller(user.name(), GrantedCaller.PROXY, new Grants(user.grants(), labels)));
    }

    static Problem unauthenticated(String detail) {
        return new Problem(Problem.Code.UNAUTHENTICATED, detail).header("WWW-Authenticate", "Bearer");
    }
}
