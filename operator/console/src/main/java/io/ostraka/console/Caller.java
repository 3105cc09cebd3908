package io.ostraka.console;

import io.ostraka.api.operations.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An authenticated person or program. Immutable. */
public interface Caller {
    /** Returns the name, which is stored with every change. */
    String name();

    /** Returns how the caller was authenticated, for the audit, such as {@code session} or {@code token}. */
    String origin();

    /**
     * Returns whether the caller has a role.
     *
     * @param namespace name of a namespace
     * @param job name of a job; null for all jobs of the namespace and for the namespace itself
     */
    boolean has(Role role, String namespace, @Nullable String job);

    /** Returns whether the caller may see anything of a namespace. */
    boolean sees(String namespace);

    /**
     * Returns the grants in the form in which the caller sees them, such as {@code OPERATOR orders}; empty if they are
     * not known.
     */
    default List<String> shownGrants() {
        return List.of();
    }

    /** Returns the highest role of the caller, for the audit; null if the caller has none. */
    default @Nullable Role role(String namespace, @Nullable String job) {
        Role highest = null;
        for (Role role : Role.values()) {
            if (has(role, namespace, job)) {
                highest = role;
            }
        }
        return highest;
    }
}
