package io.ostraka.console.servlet;

import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;
import io.ostraka.console.security.Hosts;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Ways to find the caller of a request. */
public final class Callers {
    private static final Caller ANONYMOUS = new RoleCaller("anonymous", "anonymous", Role.VIEWER);

    private Callers() {}

    /**
     * Returns a resolver for the users of the application. The application gives a user any of the roles
     * {@code OSTRAKA_VIEWER}, {@code OSTRAKA_OPERATOR} and {@code OSTRAKA_ADMIN}; the highest of them is valid for all
     * jobs. In Spring Security, these are the authorities {@code ROLE_OSTRAKA_VIEWER} and so on. A user without such a
     * role may see nothing.
     */
    public static CallerResolver byRole() {
        return RoleCaller::ofUser;
    }

    /**
     * Returns a resolver that gives the role VIEWER to every request, without authentication. A console refuses such
     * requests under other host names than {@link ServletConsole} describes.
     */
    public static CallerResolver anonymousViewer() {
        return request -> ANONYMOUS;
    }

    /**
     * Returns a resolver that checks the host of each request without a login. A page that makes a browser resolve its
     * own name to the application gets neither the cookie nor the password of a login, because a browser keeps both by
     * the name of the host; but without a login it could read. The caller shows whether there was one, because a
     * resolver of the application may call {@link #anonymousViewer}.
     */
    static CallerResolver checkingHost(CallerResolver callers, Hosts hosts) {
        return request -> {
            Caller caller = callers.resolve(request);
            if (caller != null && caller.origin().equals(ANONYMOUS.origin())) {
                List<String> named = Collections.list(request.getHeaders("Host"));
                hosts.check(named.size() == 1 ? Optional.of(named.get(0)) : Optional.empty());
            }
            return caller;
        };
    }
}
