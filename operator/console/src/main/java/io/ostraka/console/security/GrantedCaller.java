package io.ostraka.console.security;

import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A caller whose roles come from grants. Immutable.
 *
 * @param name name of the person or program
 * @param origin kind of the credential: {@value #SESSION}, {@value #TOKEN}, {@value #PROXY} or a name of the adapter
 * @param grants grants of the caller
 */
public record GrantedCaller(String name, String origin, Grants grants) implements Caller {
    static final String SESSION = "session";
    static final String TOKEN = "token";
    static final String PROXY = "proxy";

    @Override
    public boolean has(Role role, String namespace, @Nullable String job) {
        return grants.has(role, namespace, job);
    }

    @Override
    public boolean sees(String namespace) {
        return grants.sees(namespace);
    }

    @Override
    public List<String> shownGrants() {
        return grants.texts();
    }

    @Override
    public String toString() {
        return origin + " '" + name + "'";
    }
}
