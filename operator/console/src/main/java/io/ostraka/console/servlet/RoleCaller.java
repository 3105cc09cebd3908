package io.ostraka.console.servlet;

import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;
import io.ostraka.console.Problem;
import io.ostraka.console.security.Names;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A caller with one role for all jobs of all namespaces. Immutable.
 *
 * @param name name of the caller
 * @param origin way in which the caller was authenticated
 * @param highest the caller's role, which includes the roles before it; null if the caller has none
 */
record RoleCaller(String name, String origin, @Nullable Role highest) implements Caller {
    private static final String ROLES = "OSTRAKA_";

    /**
     * Returns the user of a request, with the roles {@code OSTRAKA_VIEWER}, {@code OSTRAKA_OPERATOR} and {@code
     * OSTRAKA_ADMIN} of the application.
     *
     * @return null if the request has no user
     */
    static @Nullable Caller ofUser(HttpServletRequest request) {
        Principal user = request.getUserPrincipal();
        if (user == null) {
            return null;
        }
        String name = user.getName();
        if (name == null || !Names.accepts(name)) {
            throw new Problem(
                    Problem.Code.FORBIDDEN,
                    "the application's name of the user is not accepted; accepted: 1 to 128 visible characters, with"
                            + " blanks only inside; use another user");
        }
        Role highest = null;
        for (Role role : Role.values()) {
            if (request.isUserInRole(ROLES + role)) {
                highest = role;
            }
        }
        return new RoleCaller(name, "application", highest);
    }

    @Override
    public boolean has(Role role, String namespace, @Nullable String job) {
        return highest != null && role.compareTo(highest) <= 0;
    }

    @Override
    public List<String> shownGrants() {
        return highest == null ? List.of() : List.of(highest.name());
    }

    @Override
    public boolean sees(String namespace) {
        return highest != null;
    }
}
