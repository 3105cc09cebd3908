package io.ostraka.console.servlet;

import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;

/** Ways to find the caller of a request. */
public final class Callers {
    private static final Caller ANONYMOUS = new RoleCaller("anonymous", "anonymous", Role.VIEWER);

    private Callers() {}

    /**
     * Returns a resolver for the users of the application. A user has the highest of the roles {@code OSTRAKA_VIEWER},
     * {@code OSTRAKA_OPERATOR} and {@code OSTRAKA_ADMIN} that the application gives it, for all jobs; in Spring Security
     * these are the authorities {@code ROLE_OSTRAKA_VIEWER} and so on. A user without such a role may see nothing.
     */
    public static CallerResolver byRole() {
        return RoleCaller::ofUser;
    }

    /** Returns a resolver that gives everybody the role VIEWER, without authentication. */
    public static CallerResolver anonymousViewer() {
        return request -> ANONYMOUS;
    }
}
