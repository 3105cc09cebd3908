package io.ostraka.remote;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.api.Secret;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.ZooKeeperConfig;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the connection to ZooKeeper, as a platform sends them. Each is null if the platform does not set it.
 *
 * @param servers servers in the form {@code host:port,host:port}
 * @param chroot path of the node below which all nodes are stored
 * @param sessionTimeout time without a sign of life after which an instance counts as dead
 * @param connectionTimeout longest time of an attempt to connect
 * @param user user of ZooKeeper's digest scheme
 * @param password name of the secret with the password of this user. The secret itself stays in the application
 */
record Connection(
        @Nullable String servers,
        @Nullable String chroot,
        @Nullable Duration sessionTimeout,
        @Nullable Duration connectionTimeout,
        @Nullable String user,
        @Nullable String password) {
    static final Connection NONE = new Connection(null, null, null, null, null, null);

    private static final String PLACE = "connection";
    private static final Set<String> MEMBERS =
            Set.of("servers", "chroot", "sessionTimeout", "connectionTimeout", "digest");

    /**
     * Reads the settings.
     *
     * @param allowed hosts of servers that the application allows
     * @param secrets names of the secrets that the application has
     */
    static Connection read(JsonObject json, Collection<String> allowed, Set<String> secrets) {
        Json.requireKnown(PLACE, json, MEMBERS);
        String servers = json.has("servers") ? Json.text(PLACE, json, "servers") : null;
        String chroot = json.has("chroot") ? Json.text(PLACE, json, "chroot") : null;
        try {
            ZooKeeperConfig.of((servers == null ? "localhost:2181" : servers) + (chroot == null ? "" : chroot), "any");
        } catch (IllegalArgumentException e) {
            throw new RefusedAnswerException(PLACE + ": " + e.getMessage(), e);
        }
        if (servers != null) {
            requireAllowed(servers, allowed);
        }
        String user = null;
        String password = null;
        if (json.has("digest")) {
            String place = PLACE + ".digest";
            JsonObject digest = Json.object(PLACE, json, "digest");
            Json.requireKnown(place, digest, Set.of("user", "password"));
            user = Json.text(place, digest, "user");
            password = Json.text(place, digest, "password");
            if (!secrets.contains(password)) { // not shown, because it may be a password in place of a name
                throw new RefusedAnswerException(
                        place + ": password does not name a secret of this application;" + " accepted: "
                                + (secrets.isEmpty() ? "none, because it has no secrets" : new TreeSet<>(secrets)));
            }
        }
        return new Connection(
                servers, chroot, duration(json, "sessionTimeout"), duration(json, "connectionTimeout"), user, password);
    }

    private static void requireAllowed(String servers, Collection<String> allowed) {
        for (String server : servers.split(",", -1)) {
            int port = server.lastIndexOf(':');
            String host = port > 0 && !server.endsWith("]") ? server.substring(0, port) : server;
            boolean found = allowed.stream()
                    .anyMatch(each -> each.startsWith("*.")
                            ? host.regionMatches(true, host.length() - each.length() + 1, each, 1, each.length() - 1)
                            : host.equalsIgnoreCase(each));
            if (!found) {
                throw new RefusedAnswerException(PLACE + ": servers is '" + Json.shown(servers) + "'; accepted: "
                        + (allowed.isEmpty()
                                ? "none, because the application allows no servers"
                                : "servers on the hosts " + List.copyOf(new TreeSet<>(allowed))));
            }
        }
    }

    private static @Nullable Duration duration(JsonObject json, String member) {
        JsonElement found = json.get(member);
        if (found == null) {
            return null;
        }
        try {
            Duration duration = Duration.parse(Json.text(PLACE, json, member));
            if (duration.compareTo(Duration.ofMillis(100)) >= 0 && duration.compareTo(Duration.ofHours(1)) <= 0) {
                return duration;
            }
        } catch (DateTimeException e) {
            throw Json.wrong(PLACE, json, member, "a duration from PT0.1S to PT1H");
        }
        throw Json.wrong(PLACE, json, member, "a duration from PT0.1S to PT1H");
    }

    /**
     * Returns a builder of a registry with these settings.
     *
     * @param otherwise servers that are used if the platform sets none
     * @param own sets the application's own settings, over which these take precedence
     * @param secrets secrets of the application, by name
     */
    RegistryBuilder builder(
            String otherwise, String namespace, Consumer<RegistryBuilder> own, Map<String, Secret> secrets) {
        RegistryBuilder builder = ZooKeeperRegistry.newBuilder(servers == null ? otherwise : servers, namespace);
        own.accept(builder);
        if (chroot != null) {
            builder.chroot(chroot);
        }
        if (sessionTimeout != null) {
            builder.sessionTimeout(sessionTimeout);
        }
        if (connectionTimeout != null) {
            builder.connectionTimeout(connectionTimeout);
        }
        if (user != null && password != null) {
            Secret secret = secrets.get(password);
            if (secret != null) {
                builder.digest(user, secret);
            }
        }
        return builder;
    }
}
