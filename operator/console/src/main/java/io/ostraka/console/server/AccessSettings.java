package io.ostraka.console.server;

import io.ostraka.console.security.Grant;
import io.ostraka.console.security.SecuritySettings;
import io.ostraka.console.security.TrustedProxy;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/** Reads the settings about callers: users, tokens, the proxy, and the hosts under which people reach the console. */
final class AccessSettings {
    private static final Duration SHORTEST_SESSION = Duration.ofMinutes(1);
    private static final Duration LONGEST_SESSION = Duration.ofDays(30);

    private final SettingValues values;
    private final SecuritySettings.Builder builder = SecuritySettings.newBuilder();

    private AccessSettings(SettingValues values) {
        this.values = values;
    }

    /** Reads the settings, and adds any mistakes to {@code values}. */
    static SecuritySettings read(SettingValues values) {
        return new AccessSettings(values).read();
    }

    private SecuritySettings read() {
        hosts();
        users();
        tokens();
        proxy();
        session(Key.SESSIONS_IDLE, builder::sessionIdle);
        session(Key.SESSIONS_LENGTH, builder::sessionLength);
        return builder.build();
    }

    private void hosts() {
        Optional<URI> origin = values.parsed(Key.PUBLIC_ORIGIN, AccessSettings::origin);
        origin.map(URI::toString)
                .ifPresent(text -> accept(Key.PUBLIC_ORIGIN.text(), () -> {
                    SecuritySettings.newBuilder().publicOrigin(text).build(); // throws if it does not accept the origin
                    builder.publicOrigin(text);
                }));
        TreeSet<String> hosts = new TreeSet<>(values.list(Key.HOSTS));
        origin.ifPresent(address -> hosts.add(address.getHost()));
        if (!hosts.isEmpty()) {
            hosts.addAll(List.of("localhost", "127.0.0.1", "[::1]"));
            accept(Key.HOSTS.text(), () -> {
                SecuritySettings.newBuilder().hosts(hosts).build(); // throws if it does not accept a host
                builder.hosts(hosts);
            });
        }
    }

    private static URI origin(String text) {
        URI address = URI.create(text);
        boolean isOrigin = ("https".equals(address.getScheme()) || "http".equals(address.getScheme()))
                && address.getHost() != null
                && address.getRawUserInfo() == null
                && address.getRawPath().isEmpty()
                && address.getRawQuery() == null
                && address.getRawFragment() == null;
        if (!isOrigin) {
            throw new SettingValues.RefusedValue("it is not https://HOST or https://HOST:PORT");
        }
        return address;
    }

    private void users() {
        for (String name : values.names(Key.USER_PASSWORD, Key.USER_GRANTS)) {
            Optional<String> password = required(Key.USER_PASSWORD, name, Function.identity());
            Optional<List<Grant>> grants = required(Key.USER_GRANTS, name, AccessSettings::grants);
            if (password.isPresent() && grants.isPresent()) {
                accept(Key.USER_PASSWORD.of(name), () -> builder.user(name, password.get(), grants.get()));
            }
        }
    }

    private void tokens() {
        for (String name : values.names(Key.TOKEN_HASH, Key.TOKEN_GRANTS, Key.TOKEN_EXPIRES)) {
            Optional<String> hash = required(Key.TOKEN_HASH, name, Function.identity());
            Optional<List<Grant>> grants = required(Key.TOKEN_GRANTS, name, AccessSettings::grants);
            Optional<Instant> expires = required(Key.TOKEN_EXPIRES, name, Instant::parse);
            if (hash.isPresent() && grants.isPresent() && expires.isPresent()) {
                accept(Key.TOKEN_HASH.of(name), () -> builder.token(name, hash.get(), expires.get(), grants.get()));
            }
        }
    }

    private void proxy() {
        Map<String, List<Grant>> users = byName(Key.PROXY_USER_GRANTS);
        Map<String, List<Grant>> groups = byName(Key.PROXY_GROUP_GRANTS);
        values.parsed(Key.PROXY_GRANTS, AccessSettings::grants)
                .ifPresent(everyone -> users.put(TrustedProxy.EVERYONE, everyone));
        if (!values.has(Key.PROXY_SECRET)) {
            boolean used = !users.isEmpty()
                    || !groups.isEmpty()
                    || values.has(Key.PROXY_USER_HEADER)
                    || values.has(Key.PROXY_GROUPS_HEADER);
            if (used) {
                values.missing(Key.PROXY_SECRET.text(), "it proves that a request comes from the proxy");
            }
            return;
        }
        String userHeader = values.text(Key.PROXY_USER_HEADER).orElseThrow();
        String groupsHeader = values.text(Key.PROXY_GROUPS_HEADER).orElseThrow();
        values.text(Key.PROXY_SECRET)
                .ifPresent(secret -> accept(
                        "proxy.*",
                        () -> builder.proxy(new TrustedProxy(userHeader, groupsHeader, secret, users, groups))));
    }

    private Map<String, List<Grant>> byName(Key key) {
        Map<String, List<Grant>> grants = new TreeMap<>();
        for (String name : values.names(key)) {
            values.parsed(key, name, AccessSettings::grants).ifPresent(each -> grants.put(name, each));
        }
        return grants;
    }

    private void session(Key key, Consumer<Duration> set) {
        values.parsed(key, text -> {
                    Duration time = Duration.parse(text);
                    if (time.compareTo(SHORTEST_SESSION) < 0 || time.compareTo(LONGEST_SESSION) > 0) {
                        throw new IllegalArgumentException();
                    }
                    return time;
                })
                .ifPresent(set);
    }

    private <T> Optional<T> required(Key key, String name, Function<String, T> parse) {
        Optional<T> value = values.parsed(key, name, parse);
        if (value.isEmpty()) {
            values.missing(key.of(name), "accepted: " + key.accepted());
        }
        return value;
    }

    /** Returns the grants in a text. The messages of its exceptions contain no secret. */
    private static List<Grant> grants(String text) {
        return SettingValues.elements(text).stream()
                .map(each -> {
                    try {
                        return Grant.parse(each);
                    } catch (IllegalArgumentException e) {
                        throw new SettingValues.RefusedValue("'" + each + "' is no grant");
                    }
                })
                .toList();
    }

    /** Adds a mistake if an action refuses its arguments; its message contains no secret. */
    private void accept(String key, Runnable action) {
        try {
            action.run();
        } catch (IllegalArgumentException e) {
            values.mistake(key + ": " + e.getMessage());
        }
    }
}
