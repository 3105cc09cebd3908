package io.ostraka.console.security;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Security settings: the accepted hosts, and the users, tokens and proxy that may call. If there is no user, no token
 * and no proxy, the console creates a one-time password for the user {@code admin} when it starts. Immutable. The
 * settings contain no password and no token, only their hashes.
 */
public final class SecuritySettings {
    private static final Duration LONGEST_TIME = Duration.ofDays(30);

    private final Hosts hosts;
    private final SameOrigin sameOrigin;
    private final Map<String, User> users;
    private final List<Tokens.Token> tokens;
    private final @Nullable TrustedProxy proxy;
    private final Duration sessionIdle;
    private final Duration sessionLength;

    /**
     * A person with a password.
     *
     * @param name name of the person
     * @param password hash of the password
     * @param grants grants of the person
     */
    record User(String name, PasswordHash password, List<Grant> grants) {
        User {
            grants = List.copyOf(grants);
        }
    }

    private SecuritySettings(Builder builder) {
        hosts = new Hosts(builder.hosts);
        sameOrigin = new SameOrigin(hosts, builder.publicOrigins);
        users = Map.copyOf(builder.users);
        tokens = List.copyOf(builder.tokens.values());
        proxy = builder.proxy;
        sessionIdle = builder.sessionIdle;
        sessionLength = builder.sessionLength;
    }

    /** Returns a builder that accepts only the hosts of the loopback interface, and no caller. */
    public static Builder newBuilder() {
        return new Builder();
    }

    /** Returns whether the settings name a user, a token or a proxy. */
    public boolean hasCallers() {
        return !users.isEmpty() || !tokens.isEmpty() || proxy != null;
    }

    Hosts hosts() {
        return hosts;
    }

    SameOrigin sameOrigin() {
        return sameOrigin;
    }

    Map<String, User> users() {
        return users;
    }

    List<Tokens.Token> tokens() {
        return tokens;
    }

    @Nullable TrustedProxy proxy() {
        return proxy;
    }

    Duration sessionIdle() {
        return sessionIdle;
    }

    Duration sessionLength() {
        return sessionLength;
    }

    /** Builds {@link SecuritySettings}. Its methods throw {@link IllegalArgumentException}. Not thread-safe. */
    public static final class Builder {
        private List<String> hosts = List.of("localhost", "127.0.0.1", "[::1]");
        private final List<String> publicOrigins = new ArrayList<>();
        private final Map<String, User> users = new LinkedHashMap<>();
        private final Map<String, Tokens.Token> tokens = new LinkedHashMap<>();
        private @Nullable TrustedProxy proxy;
        private Duration sessionIdle = Duration.ofMinutes(30);
        private Duration sessionLength = Duration.ofHours(12);

        private Builder() {}

        /**
         * Sets the accepted hosts, with any port. By default {@code localhost}, {@code 127.0.0.1} and {@code [::1]}.
         *
         * @param accepted names or addresses without port
         */
        public Builder hosts(Collection<String> accepted) {
            hosts = List.copyOf(accepted);
            return this;
        }

        /**
         * Adds an origin under which browsers show the console, such as {@code https://console.example.com}. By default
         * the origin consists of the scheme of the connection and the header {@code Host}. Add the public origin if a
         * proxy terminates TLS.
         */
        public Builder publicOrigin(String origin) {
            publicOrigins.add(origin);
            return this;
        }

        /**
         * Adds a person with a password.
         *
         * @param passwordHash hash of the password, as {@link Passwords#hash} returns it
         */
        public Builder user(String name, String passwordHash, Collection<Grant> grants) {
            check("user", name, grants);
            users.put(
                    name,
                    new User(name, parsed("user", name, () -> PasswordHash.parse(passwordHash)), List.copyOf(grants)));
            return this;
        }

        /**
         * Adds a program that calls with a bearer token.
         *
         * @param digest digest of the token, as {@link Tokens#digest} returns it
         * @param expires time from which the token is refused
         */
        public Builder token(String name, String digest, Instant expires, Collection<Grant> grants) {
            check("token", name, grants);
            Tokens.Digest parsed = parsed("token", name, () -> Tokens.Digest.parse(digest));
            for (Tokens.Token each : tokens.values()) {
                if (each.digest().equalTo(parsed)) {
                    throw new IllegalArgumentException("token '" + name + "' has the digest of token '" + each.name()
                            + "'; create a token for each program");
                }
            }
            tokens.put(name, new Tokens.Token(name, parsed, expires, List.copyOf(grants)));
            return this;
        }

        /** Trusts a proxy that authenticates people. By default there is none. */
        public Builder proxy(TrustedProxy trusted) {
            proxy = trusted;
            return this;
        }

        /** Sets the time after which a session without a request ends; 30 minutes by default, at most 30 days. */
        public Builder sessionIdle(Duration time) {
            sessionIdle = time("idle time", time);
            return this;
        }

        /** Sets the time after which every session ends; 12 hours by default, at most 30 days. */
        public Builder sessionLength(Duration time) {
            sessionLength = time("length", time);
            return this;
        }

        /** Builds the settings. */
        public SecuritySettings build() {
            return new SecuritySettings(this);
        }

        /** Checks a caller. Two callers with one name would look the same in the changes that they make. */
        private void check(String kind, String name, Collection<Grant> grants) {
            if (!Names.accepts(name)) {
                throw new IllegalArgumentException("name of the " + kind + " '" + Names.printable(name)
                        + "' is not accepted; accepted: 1 to " + Names.LONGEST + " visible characters");
            }
            if (users.containsKey(name) || tokens.containsKey(name)) {
                throw new IllegalArgumentException(
                        kind + " '" + name + "' has the name of another user or token; choose another name");
            }
            if (grants.isEmpty()) {
                throw new IllegalArgumentException(kind + " '" + name + "' has no grant; add at least one");
            }
        }

        private static <T> T parsed(String kind, String name, Supplier<T> parse) {
            try {
                return parse.get();
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(kind + " '" + name + "': " + e.getMessage(), e);
            }
        }

        private static Duration time(String what, Duration time) {
            if (time.compareTo(Duration.ofMinutes(1)) < 0 || time.compareTo(LONGEST_TIME) > 0) {
                throw new IllegalArgumentException(
                        what + " of a session is " + time + "; accepted: one minute to 30 days");
            }
            return time;
        }
    }
}
