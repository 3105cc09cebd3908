package io.ostraka.console.servlet;

import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;

/** Ways to find the caller of a request. */
public final class Callers {
    private static final Caller ANONYMOUS = new RoleCaller("anonymous", "anonymous", Role.VIEWER);

    static final CallerResolver ANONYMOUS_VIEWER = request -> ANONYMOUS;

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

    /** Returns a resolver that gives the role VIEWER to every request, without authentication. */
    public static CallerResolver anonymousViewer() {
        return ANONYMOUS_VIEWER;
    }
}
