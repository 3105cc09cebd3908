package io.ostraka.cli.terminal;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

/**
 * Writes a JSON document as YAML in block style. Texts are in double quotes, with the escapes of JSON, which YAML has,
 * too. So no text can be read as a number, a date or a boolean.
 */
final class Yaml {
    private Yaml() {}

    /** Returns the document, which ends with a line feed. */
    static String of(JsonElement json) {
        StringBuilder text = new StringBuilder();
        if (json.isJsonObject() || json.isJsonArray()) {
            write(text, json, 0);
        } else {
            text.append(scalar(json)).append('\n');
        }
        return text.toString();
    }

    private static void write(StringBuilder text, JsonElement json, int depth) {
        if (isEmpty(json)) {
            text.append(json.isJsonObject() ? "{}\n" : "[]\n");
        } else if (json instanceof JsonObject object) {
            object.asMap().forEach((name, value) -> {
                text.append("  ".repeat(depth)).append(key(name)).append(':');
                nested(text, value, depth);
            });
        } else if (json instanceof JsonArray array) {
            array.forEach(value -> {
                text.append("  ".repeat(depth)).append('-');
                nested(text, value, depth);
            });
        }
    }

    private static void nested(StringBuilder text, JsonElement value, int depth) {
        if (value.isJsonObject() || value.isJsonArray()) {
            text.append(isEmpty(value) ? " " : "\n");
            write(text, value, depth + 1);
        } else {
            text.append(' ').append(scalar(value)).append('\n');
        }
    }

    private static boolean isEmpty(JsonElement json) {
        return json instanceof JsonObject object
                ? object.isEmpty()
                : json instanceof JsonArray array && array.isEmpty();
    }

    /**
     * Returns the name of a member. Omits the quotes only if no YAML reader can take the name for something else, such
     * as {@code on} or {@code 12}.
     */
    private static String key(String name) {
        boolean plain =
                name.matches("[A-Za-z][A-Za-z0-9_-]*") && !name.matches("(?i)y|n|yes|no|on|off|true|false|null");
        return plain ? name : Json.line(new JsonPrimitive(name));
    }

    private static String scalar(JsonElement json) {
        return Json.line(json);
    }
}
