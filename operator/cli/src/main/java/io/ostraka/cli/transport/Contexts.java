package io.ostraka.cli.transport;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.cli.terminal.Json;
import io.ostraka.cli.terminal.Shell;
import io.ostraka.console.Body;
import io.ostraka.console.SmallFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Named connections in a file that only its owner can read. The file contains no secret, only paths of files with
 * secrets.
 */
public final class Contexts {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final int LARGEST = 1 << 20;
    private static final String CURRENT = "current";
    private static final String CONTEXTS = "contexts";

    private final Path file;
    private final Map<String, Map<Setting, String>> contexts = new TreeMap<>();
    private String current = "";

    private Contexts(Path file) {
        this.file = file;
    }

    /** Reads the file. A missing file means that there are no contexts. */
    public static Contexts read(Path file) {
        Contexts read = new Contexts(file);
        try {
            if (writableByOthers(file)) {
                throw Failure.usage("other users may change " + file
                        + " and so send your token elsewhere; check its content and run: "
                        + Shell.line(List.of("chmod", "600"), List.of(file.toString()), List.of()));
            }
            JsonObject json = Body.object("content", SmallFile.text(file, LARGEST));
            read.current = json.has(CURRENT) ? json.get(CURRENT).getAsString() : "";
            json.getAsJsonObject(CONTEXTS).asMap().forEach((name, value) -> read.contexts.put(name, settings(value)));
        } catch (NoSuchFileException e) {
            return read;
        } catch (Failure e) {
            throw e;
        } catch (IOException | RuntimeException e) { // the content is not JSON, or JSON of another form
            throw Failure.usage("the contexts in " + file + " are not readable" + SmallFile.because(e)
                    + "; mend or delete the file, and set them again");
        }
        return read;
    }

    private static boolean writableByOthers(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return false;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        return permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE);
    }

    private static Map<Setting, String> settings(JsonElement json) {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            JsonElement value = json.getAsJsonObject().get(setting.key());
            if (value != null) {
                settings.put(setting, value.getAsString());
            }
        }
        return settings;
    }

    /** Returns the name of the current context; empty text if there is none. */
    public String current() {
        return current;
    }

    /** Returns the settings of the current context; empty if there is none. */
    public Map<Setting, String> inUse() {
        return current.isEmpty() ? Map.of() : require(current);
    }

    public Map<String, Map<Setting, String>> all() {
        return contexts;
    }

    Optional<Map<Setting, String>> get(String name) {
        return Optional.ofNullable(contexts.get(name));
    }

    /** Returns a context. */
    public Map<Setting, String> require(String name) {
        return get(name)
                .orElseThrow(() -> new Failure(
                        ExitCode.NOT_FOUND,
                        "there is no context '" + name + "'; "
                                + (contexts.isEmpty()
                                        ? "there is none yet"
                                        : "known: " + String.join(", ", contexts.keySet()))
                                + ", and 'ostraka context set' adds one"));
    }

    public void use(String name) {
        require(name);
        current = name;
        write();
    }

    /** Adds settings to a context, and creates it if necessary. The first context becomes the current one. */
    public void set(String name, Map<Setting, String> settings) {
        if (!NAME.matcher(name).matches()) {
            throw Failure.usage("the name of the context is '" + name
                    + "'; accepted: up to 64 letters, digits, dots, hyphens and underscores");
        }
        Map<Setting, String> context = contexts.computeIfAbsent(name, added -> new EnumMap<>(Setting.class));
        if (settings.containsKey(Setting.SERVER)) {
            context.remove(Setting.ZOOKEEPER);
        } else if (settings.containsKey(Setting.ZOOKEEPER)) {
            context.remove(Setting.SERVER);
        }
        context.putAll(settings);
        if (current.isEmpty()) {
            current = name;
        }
        write();
    }

    public void remove(String name) {
        require(name);
        contexts.remove(name);
        if (current.equals(name)) {
            current = "";
        }
        write();
    }

    private void write() {
        JsonObject json = new JsonObject();
        json.addProperty(CURRENT, current);
        JsonObject all = new JsonObject();
        contexts.forEach((name, settings) -> {
            JsonObject context = new JsonObject();
            settings.forEach((setting, value) -> context.addProperty(setting.key(), value));
            all.add(name, context);
        });
        json.add(CONTEXTS, all);
        try {
            Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent());
            Files.createDirectories(directory);
            boolean posix =
                    directory.getFileSystem().supportedFileAttributeViews().contains("posix");
            Path written = posix
                    ? Files.createTempFile(
                            directory,
                            "config",
                            "",
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
                    : Files.createTempFile(directory, "config", "");
            Files.writeString(written, Json.pretty(json) + "\n");
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new Failure(ExitCode.FAILED, "could not write " + file + "; check the rights of its directory");
        }
    }
}
