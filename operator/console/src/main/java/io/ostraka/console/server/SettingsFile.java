package io.ostraka.console.server;

import io.ostraka.console.SmallFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a properties file, and the environment variables that replace its values. */
final class SettingsFile {
    /** Largest file in bytes, and most values: more than every console needs. */
    private static final int LARGEST = 1 << 20;

    private static final int MOST_VALUES = 10_000;
    private static final int LONGEST_KEY = 255;

    private SettingsFile() {}

    /**
     * Returns the values as they are written, by key.
     *
     * @param mistakes receives the mistakes
     * @param warnings receives the warnings
     */
    static Map<String, String> read(
            Path file, Map<String, String> environment, List<String> mistakes, List<String> warnings) {
        Map<String, String> values = new TreeMap<>();
        for (Map.Entry<String, String> entry : properties(file, mistakes).entrySet()) {
            String key = entry.getKey();
            if (find(key) == null) {
                mistakes.add("'" + key + "' is no key" + nearest(key));
            } else if (!entry.getValue().isBlank()) {
                values.put(key, entry.getValue().strip());
            }
        }
        replace(values, environment, warnings);
        values.values().stream()
                .flatMap(value -> Reference.file(value).stream())
                .distinct()
                .filter(each -> isReadableByOthers(each, environment))
                .forEach(each -> warnings.add("other users of this machine can read " + each
                        + ", to which the settings refer; take away their right, for example by chmod 600"));
        if (isReadableByOthers(file, environment)) {
            values.forEach((key, value) -> {
                Key known = find(key);
                if (known != null
                        && known.secret()
                        && !Reference.isReference(value)
                        && !environment.containsKey(Key.variable(key))) {
                    warnings.add(key + " is a secret, and other users of this machine can read " + file
                            + "; take away their right to read the file, or use ${file:PATH} or ${env:NAME}");
                }
            });
        }
        return values;
    }

    private static Map<String, String> properties(Path file, List<String> mistakes) {
        Map<String, String> found = new TreeMap<>();
        Properties properties = new Properties() {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Object put(Object key, Object value) {
                if (found.put((String) key, (String) value) != null) {
                    mistakes.add(key + " is set twice in " + file + "; set it once");
                }
                return super.put(key, value);
            }
        };
        try {
            properties.load(new StringReader(SmallFile.text(file, LARGEST)));
        } catch (NoSuchFileException e) {
            mistakes.add("the file " + file + " does not exist");
        } catch (CharacterCodingException e) {
            mistakes.add("the file " + file + " is not in UTF-8");
        } catch (IOException e) {
            String because = SmallFile.because(e);
            mistakes.add("the file " + file + " cannot be read" + (because.isEmpty() ? ": " + e : because));
        } catch (IllegalArgumentException e) {
            mistakes.add("the file " + file + " contains \\u without four hex digits");
        }
        if (found.size() > MOST_VALUES) {
            mistakes.add("the file " + file + " has " + found.size() + " values; accepted: at most " + MOST_VALUES);
            return Map.of();
        }
        return found;
    }

    /**
     * Replaces values. The name of a variable is in capital letters, so it does not show the case of a name in a key.
     * Such a variable therefore only replaces a value that the file contains.
     */
    private static void replace(Map<String, String> values, Map<String, String> environment, List<String> warnings) {
        Map<String, String> keys = new TreeMap<>();
        for (Key key : Key.values()) {
            if (!key.hasName()) {
                keys.put(Key.variable(key.text()), key.text());
            }
        }
        values.keySet().forEach(key -> keys.put(Key.variable(key), key));
        new TreeMap<>(environment).forEach((variable, value) -> {
            String key = keys.get(variable);
            if (key != null && !value.isBlank()) {
                values.put(key, value.strip());
            } else if (key == null && Key.isVariable(variable)) {
                warnings.add("the environment variable " + variable + " belongs to no key, and is ignored");
            }
        });
    }

    /** Returns the key; null if there is none. */
    static @Nullable Key find(String text) {
        return Arrays.stream(Key.values())
                .filter(key -> key.matches(text))
                .findFirst()
                .orElse(null);
    }

    private static String nearest(String text) {
        if (text.length() > LONGEST_KEY) {
            return "; docs/console.md lists the keys";
        }
        String[] parts = text.split("\\.", -1);
        Stream<String> candidates = Arrays.stream(Key.values())
                .flatMap(key -> key.hasName()
                        ? Arrays.stream(parts).filter(part -> !part.isEmpty()).map(key::of)
                        : Stream.of(key.text()));
        return candidates
                .min(Comparator.comparingInt((String candidate) -> distance(text, candidate)))
                .filter(candidate -> distance(text, candidate) <= Math.max(2, text.length() / 3))
                .map(candidate -> "; the nearest is '" + candidate + "'")
                .orElse("; docs/console.md lists the keys");
    }

    /** Returns the number of characters to insert, delete or replace between two texts. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int above = row[j];
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[other.length()];
    }

    private static boolean isReadableByOthers(Path file, Map<String, String> environment) {
        String credentials = environment.getOrDefault("CREDENTIALS_DIRECTORY", "");
        if (!credentials.isEmpty() && file.startsWith(credentials)) {
            return false; // systemd lets its unit read them by an access list, which looks like a right of the group
        }
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            return permissions.contains(PosixFilePermission.GROUP_READ)
                    || permissions.contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) { // unreadable, or not a POSIX file system
            return false;
        }
    }
}
