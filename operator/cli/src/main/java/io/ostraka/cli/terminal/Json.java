package io.ostraka.cli.terminal;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.ostraka.console.security.Names;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON documents. */
public final class Json {
    private static final Gson PRETTY = new GsonBuilder()
            .disableHtmlEscaping()
            .serializeNulls()
            .setPrettyPrinting()
            .create();
    private static final Gson LINE =
            new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

    private Json() {}

    /** Reads a text as a JSON object; null if it is none. */
    public static @Nullable JsonObject object(String text) {
        try {
            return JsonParser.parseString(text) instanceof JsonObject object ? object : null;
        } catch (JsonParseException | IllegalStateException | StackOverflowError e) {
            return null;
        }
    }

    /** Returns a document over several lines. */
    public static String pretty(JsonElement json) {
        return escaped(PRETTY.toJson(json));
    }

    /** Returns a document in one line. */
    public static String line(JsonElement json) {
        return escaped(LINE.toJson(json));
    }

    /** Escapes the characters that control a terminal but need no escape in JSON. They occur only inside strings. */
    private static String escaped(String json) {
        StringBuilder text = new StringBuilder(json.length());
        json.codePoints().forEach(each -> {
            if (each == '\n' || Names.isVisible(each)) {
                text.appendCodePoint(each);
            } else {
                for (char half : Character.toChars(each)) {
                    text.append("\\u%04x".formatted((int) half));
                }
            }
        });
        return text.toString();
    }
}
