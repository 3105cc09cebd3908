package io.ostraka.console.server;

import io.ostraka.api.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values of the settings. A value that is not accepted becomes a mistake, and the reader continues with the default,
 * so that it finds all mistakes. Not thread-safe.
 */
final class SettingValues {
    /** Largest file with keys or certificates, in bytes. */
    private static final long LARGEST_FILE = 16 << 20;

    private final Map<String, String> environment;
    private final List<String> mistakes = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    /** Values as they are written. */
    private final Map<String, String> written;
    /** Values after references are resolved. */
    private final Map<String, String> values = new TreeMap<>();

    SettingValues(Path file, Map<String, String> environment) {
        this.environment = environment;
        this.written = SettingsFile.read(file, environment, mistakes, warnings);
        written.forEach((key, value) -> {
            try {
                values.put(key, Reference.resolve(value, environment));
            } catch (IOException e) {
                mistakes.add(key + " is not readable: " + e.getMessage());
            }
        });
    }

    List<String> mistakes() {
        return mistakes;
    }

    List<String> warnings() {
        return warnings;
    }

    void mistake(String sentence) {
        mistakes.add(sentence);
    }

    /** Adds the mistake that a key has no value. */
    void missing(String key, String why) {
        if (!written.containsKey(key)) { // otherwise another mistake tells why there is no value
            mistakes.add(key + " is missing; " + why);
        }
    }

    /** Returns whether the settings have a value, which may be a wrong one. */
    boolean has(Key key) {
        return written.containsKey(key.text());
    }

    /** Returns the names for which the settings have one of the keys. */
    SortedSet<String> names(Key... keys) {
        SortedSet<String> names = new TreeSet<>();
        for (String each : written.keySet()) {
            for (Key key : keys) {
                if (key.matches(each)) {
                    names.add(key.name(each));
                }
            }
        }
        return names;
    }

    /** Returns the value, or else the default. */
    Optional<String> text(Key key) {
        String value = values.getOrDefault(key.text(), key.standard());
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    /**
     * Returns the parsed value, or else the parsed default.
     *
     * @param parse throws a runtime exception if it does not accept a value
     */
    <T> Optional<T> parsed(Key key, Function<String, T> parse) {
        Optional<T> value = parsed(key, key.text(), parse);
        return value.isPresent() || key.standard().isEmpty() ? value : Optional.of(parse.apply(key.standard()));
    }

    /** Returns the parsed value of a key with a name. */
    <T> Optional<T> parsed(Key key, String name, Function<String, T> parse) {
        String full = key.hasName() ? key.of(name) : key.text();
        String value = values.get(full);
        if (value == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse.apply(value));
        } catch (RuntimeException e) {
            mistakes.add(notAccepted(key, full, value, e));
            return Optional.empty();
        }
    }

    private String notAccepted(Key key, String full, String value, RuntimeException e) {
        String variable = Key.variable(full);
        String from = environment.containsKey(variable) ? " (from " + variable + ")" : "";
        String shown = key.secret() ? " is not accepted" : " is '" + value + "'";
        String why = key.secret() || !(e instanceof RefusedValue) ? "" : " (" + e.getMessage() + ")";
        return full + from + shown + why + "; accepted: " + key.accepted();
    }

    /** Thrown by a parser that knows why it refuses a value. */
    static final class RefusedValue extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusedValue(String why) {
            super(why);
        }
    }

    boolean flag(Key key) {
        return parsed(key, text -> switch (text) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw new IllegalArgumentException();
                })
                .orElse(false);
    }

    Duration duration(Key key) {
        return parsed(key, text -> {
                    Duration duration = Duration.parse(text);
                    if (duration.toMillis() < 1 || duration.toMillis() > Integer.MAX_VALUE) {
                        throw new RefusedValue("it is shorter than 1 ms or longer than 24 days");
                    }
                    return duration;
                })
                .orElseThrow();
    }

    /** Returns the elements of a list, without blanks around them. */
    List<String> list(Key key) {
        return parsed(key, SettingValues::elements).orElse(List.of());
    }

    /**
     * Returns the elements of a list.
     *
     * @throws IllegalArgumentException if an element is empty
     */
    static List<String> elements(String text) {
        List<String> elements =
                Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        if (elements.contains("")) {
            throw new RefusedValue("an element is empty");
        }
        return elements;
    }

    /** Returns a file that this process can read. */
    Optional<Path> file(Key key) {
        return parsed(key, text -> {
            Path file = path(text);
            if (!Files.isRegularFile(file)) {
                throw new RefusedValue("there is no such file");
            } else if (!Files.isReadable(file)) {
                throw new RefusedValue("this process has no right to read it");
            } else if (file.toFile().length() > LARGEST_FILE) {
                throw new RefusedValue(
                        "it has " + file.toFile().length() + " bytes; accepted: at most " + LARGEST_FILE);
            }
            return file;
        });
    }

    static Path path(String text) {
        try {
            return Path.of(text).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new RefusedValue("no file can have this name");
        }
    }

    /** Returns a secret, which is read again at each use. */
    @Nullable Secret secret(Key key) {
        String value = written.get(key.text());
        return value == null || !values.containsKey(key.text()) ? null : Reference.secret(value, environment);
    }
}
