package io.ostraka.remote;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.api.Secret;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the connection to ZooKeeper that a platform has sent. A setting is null if the platform does not set it.
 *
 * @param servers servers in the form {@code host:port,host:port}
 * @param chroot path of the node below which all nodes are stored
 * @param sessionTimeout time after which ZooKeeper regards an instance as dead if it has not heard from the instance
 * @param connectionTimeout time limit of one attempt to connect
 * @param user user of ZooKeeper's digest scheme
 * @param password name of the secret that contains the password of this user. The secret itself stays in the
 *     application
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
    private static final Pattern SERVER =
            Pattern.compile("([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}");
    private static final Pattern CHROOT = Pattern.compile("(/[A-Za-z0-9_@-][A-Za-z0-9._@-]*){1,20}");
    private static final Pattern USER = Pattern.compile("[^:\\p{Cntrl}]{1,100}");
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
        if (servers != null) {
            requireAllowed(servers, allowed);
        }
        if (chroot != null && !CHROOT.matcher(chroot).matches()) { // becomes a part of the connect string
            throw Json.wrong(PLACE, json, "chroot", "a path such as /teams/billing");
        }
        String user = null;
        String password = null;
        if (json.has("digest")) {
            String place = PLACE + ".digest";
            // the messages show no value, because it may be a password that was entered in place of a name
            if (!(json.get("digest") instanceof JsonObject digest)) {
                throw new RefusedAnswerException(place + " has another form; accepted: {\"user\":…,\"password\":…}");
            }
            Json.requireKnown(place, digest, Set.of("user", "password"));
            user = Json.text(place, digest, "user");
            if (!USER.matcher(user).matches()) {
                throw Json.wrong(place, digest, "user", "1 to 100 characters without a colon");
            }
            password = isText(digest.get("password")) ? digest.get("password").getAsString() : "";
            if (!secrets.contains(password)) {
                throw new RefusedAnswerException(
                        place + ": password does not name a secret of this application;" + " accepted: "
                                + (secrets.isEmpty() ? "none, because it has no secrets" : new TreeSet<>(secrets)));
            }
        }
        return new Connection(
                servers, chroot, duration(json, "sessionTimeout"), duration(json, "connectionTimeout"), user, password);
    }

    private static void requireAllowed(String servers, Collection<String> allowed) {
        for (String each : servers.split(",", -1)) {
            Matcher server = SERVER.matcher(each);
            if (!server.matches()) {
                throw new RefusedAnswerException(PLACE + ": servers is '" + Json.shown(servers)
                        + "'; accepted: host:port, several separated by commas, without blanks and paths");
            }
            String host = server.group(1);
            boolean found = allowed.stream()
                    .anyMatch(name -> name.startsWith("*.")
                            ? host.toLowerCase(Locale.ROOT)
                                    .endsWith(name.substring(1).toLowerCase(Locale.ROOT))
                            : host.equalsIgnoreCase(name));
            if (!found) {
                throw new RefusedAnswerException(PLACE + ": servers is '" + Json.shown(servers) + "'; accepted: "
                        + (allowed.isEmpty()
                                ? "none, because the application allows no servers"
                                : "servers on the hosts " + List.copyOf(new TreeSet<>(allowed))));
            }
        }
    }

    private static boolean isText(@Nullable JsonElement value) {
        return value != null
                && value.isJsonPrimitive()
                && value.getAsJsonPrimitive().isString();
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
     * @param otherwise ZooKeeper servers to use if the platform sets none
     * @param own applies the application's own settings; the settings of the platform take precedence over them
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
