package io.ostraka.cli.transport;

import io.ostraka.console.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a connection, from options, the environment and a context, in this order. Immutable.
 *
 * @param settings the settings that have a value
 * @param token token from the environment; empty if there is none
 * @param limit time limit of a request
 * @param createsNamespace true to create a missing namespace
 */
public record Connection(Map<Setting, String> settings, String token, Duration limit, boolean createsNamespace) {
    public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);

    private static final int LARGEST_TOKEN = 4096;

    /** Copies the settings. */
    public Connection {
        settings = Map.copyOf(settings);
    }

    /**
     * Merges the settings of several sources. The first source that names a server or an ensemble determines which of
     * the two the program connects to.
     *
     * @param sources settings, most important first
     * @param token token from the environment; empty if there is none
     */
    public static Connection of(List<Map<Setting, String>> sources, String token) {
        Map<Setting, String> merged = new EnumMap<>(Setting.class);
        boolean decided = false;
        for (Map<Setting, String> source : sources) {
            if (source.containsKey(Setting.SERVER) && source.containsKey(Setting.ZOOKEEPER)) {
                throw Failure.usage("both --server and --zookeeper are set; accepted: one of them");
            }
            for (Map.Entry<Setting, String> each : source.entrySet()) {
                if (!decided || !isWay(each.getKey())) {
                    merged.putIfAbsent(each.getKey(), each.getValue());
                }
            }
            decided |= decides(source);
        }
        return new Connection(merged, token, DEFAULT_LIMIT, false);
    }

    /** Returns whether a source names a server or an ensemble. */
    public static boolean decides(Map<Setting, String> source) {
        return source.keySet().stream().anyMatch(Connection::isWay);
    }

    private static boolean isWay(Setting setting) {
        return setting == Setting.SERVER || setting == Setting.ZOOKEEPER;
    }

    /** Returns the settings that are valid for every server. */
    public static Map<Setting, String> withoutServer(Map<Setting, String> source) {
        Map<Setting, String> rest = new EnumMap<>(Setting.class);
        for (Setting each : List.of(Setting.NAMESPACE, Setting.AS)) {
            if (source.containsKey(each)) {
                rest.put(each, source.get(each));
            }
        }
        return rest;
    }

    public Connection within(Duration time) {
        return new Connection(settings, token, time, createsNamespace);
    }

    public Connection creatingNamespace() {
        return new Connection(settings, token, limit, true);
    }

    public Optional<String> get(Setting setting) {
        return Optional.ofNullable(settings.get(setting));
    }

    /** Returns the name that is stored with each change if the program connects to ZooKeeper directly. */
    public String person() {
        return get(Setting.AS).orElse(System.getProperty("user.name", "unknown"));
    }

    /** Returns the token for the server; empty if there is none. */
    Optional<String> readToken() {
        String file = settings.get(Setting.TOKEN_FILE);
        String text = file == null ? token : read(file, Setting.TOKEN_FILE);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        if (text.length() > LARGEST_TOKEN || !text.chars().allMatch(each -> each > ' ' && each <= '~')) {
            throw Failure.usage("the token is not accepted: it is too long, or has blanks or line feeds inside");
        }
        return Optional.of(text);
    }

    private static String read(String file, Setting setting) {
        try {
            return SmallFile.text(Path.of(file), LARGEST_TOKEN).strip();
        } catch (IOException | RuntimeException e) { // also a path that no file can have
            throw Failure.usage(setting.option() + " names " + file + ", which this program cannot read"
                    + SmallFile.because(e) + "; accepted: a regular file with a token");
        }
    }

    /** Returns the settings without the token. */
    @Override
    public String toString() {
        return settings.toString();
    }
}
