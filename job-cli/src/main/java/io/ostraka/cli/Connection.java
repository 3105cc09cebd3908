package io.ostraka.cli;

import java.io.IOException;
import java.nio.file.Files;
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
record Connection(Map<Setting, String> settings, String token, Duration limit, boolean createsNamespace) {
    static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);

    private static final int LARGEST_TOKEN = 4096;

    /** Copies the settings. */
    Connection {
        settings = Map.copyOf(settings);
    }

    /**
     * Merges the settings of several sources. The first source that names a server or an ensemble decides; credentials
     * of a later source are left out, because they belong to another server.
     *
     * @param sources settings, most important first
     * @param token token from the environment; empty if there is none
     */
    static Connection of(List<Map<Setting, String>> sources, String token) {
        Map<Setting, String> merged = new EnumMap<>(Setting.class);
        boolean decided = false;
        for (Map<Setting, String> source : sources) {
            boolean server = source.containsKey(Setting.SERVER);
            if (server && source.containsKey(Setting.ZOOKEEPER)) {
                throw Failure.usage("both --server and --zookeeper are set; accepted: one of them");
            }
            for (Map.Entry<Setting, String> each : source.entrySet()) {
                if (!decided || each.getKey() == Setting.NAMESPACE || each.getKey() == Setting.AS) {
                    merged.putIfAbsent(each.getKey(), each.getValue());
                }
            }
            decided |= server || source.containsKey(Setting.ZOOKEEPER);
        }
        return new Connection(merged, token, DEFAULT_LIMIT, false);
    }

    Connection within(Duration time) {
        return new Connection(settings, token, time, createsNamespace);
    }

    Connection creatingNamespace() {
        return new Connection(settings, token, limit, true);
    }

    Optional<String> get(Setting setting) {
        return Optional.ofNullable(settings.get(setting));
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
            Path path = Path.of(file);
            if (Files.size(path) > LARGEST_TOKEN) {
                throw Failure.usage(setting.option() + " names " + file + ", which is too large for a token");
            }
            return Files.readString(path).strip();
        } catch (IOException | RuntimeException e) {
            if (e instanceof Failure failure) {
                throw failure;
            }
            throw Failure.usage(setting.option() + " names " + file + ", which this program cannot read");
        }
    }

    /** Returns the settings without the token. */
    @Override
    public String toString() {
        return settings.toString();
    }
}
