package io.ostraka.examples.platform;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A JSON file that may change at any time. If it cannot be read, its last good contents stay valid. Thread-safe. */
final class WatchedFile<T> {
    /** Largest size of the file in bytes. In Base64, the answer then stays below the client's limit of 1 MiB. */
    private static final int LARGEST = 700_000;

    /** Reads the contents of the file. */
    interface Form<T> {
        /**
         * Returns the contents.
         *
         * @param before last good contents; null if there are none
         */
        T read(JsonObject json, @Nullable T before);
    }

    private final Path file;
    private final Form<T> form;
    private final Consumer<String> log;
    private @Nullable String seen;
    private @Nullable T good;

    WatchedFile(Path file, Form<T> form, Consumer<String> log) {
        this.file = file;
        this.form = form;
        this.log = log;
    }

    Path path() {
        return file;
    }

    /** Returns the last good contents; null if there are none. Logs each change that is not accepted only once. */
    synchronized @Nullable T latest() {
        try {
            if (Files.size(file) > LARGEST) {
                throw new IOException("it is longer than " + LARGEST + " bytes");
            }
            String text = Files.readString(file);
            if (!text.equals(seen)) {
                seen = text;
                good = form.read(object(text), good);
            }
        } catch (IOException e) {
            if (seen != null) {
                seen = null;
                refused(e);
            }
        } catch (RuntimeException e) { // Gson throws many types
            refused(e);
        }
        return good;
    }

    private void refused(Exception e) {
        log.accept(file + " is not accepted: " + e.getMessage() + "; "
                + (good == null ? "there are no earlier contents" : "its last good contents stay in effect"));
    }

    private static JsonObject object(String text) throws IOException {
        JsonReader reader = new JsonReader(new StringReader(text));
        reader.setStrictness(Strictness.STRICT);
        JsonElement read = JsonParser.parseReader(reader);
        if (reader.peek() != JsonToken.END_DOCUMENT || !read.isJsonObject()) {
            throw new JsonParseException("it is not one JSON object");
        }
        return read.getAsJsonObject();
    }

    static void requireMembers(JsonObject json, Set<String> required, Set<String> optional) {
        Set<String> known = new TreeSet<>(required);
        known.addAll(optional);
        if (!json.keySet().containsAll(required) || !known.containsAll(json.keySet())) {
            throw new JsonParseException("it has the members " + json.keySet() + "; required: "
                    + new TreeSet<>(required) + ", accepted: " + known);
        }
    }

    static String text(JsonObject json, String member) {
        JsonElement found = json.get(member);
        if (found.isJsonPrimitive() && found.getAsJsonPrimitive().isString()) {
            return found.getAsString();
        }
        throw new JsonParseException("its member '" + member + "' is not a text");
    }
}
