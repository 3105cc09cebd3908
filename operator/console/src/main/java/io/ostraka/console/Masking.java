package io.ostraka.console;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Set;

/**
 * Hides the values of parameters, which may be secret. The names stay visible.
 *
 * @param active true to hide the values
 */
record Masking(boolean active) {
    private static final JsonElement HIDDEN = new JsonPrimitive("***");
    private static final Set<String> FIELDS = Set.of("jobParameter", "shardingItemParameters");

    /** Returns the value of a field of a job's configuration. */
    JsonElement field(String name, JsonElement value) {
        return active && FIELDS.contains(name) ? hidden(value) : value;
    }

    /** Hides the values of the member {@code parameters}. */
    void parameters(JsonObject json) {
        if (active && json.has("parameters")) {
            json.add("parameters", hidden(json.get("parameters")));
        }
    }

    private static JsonElement hidden(JsonElement value) {
        if (value.isJsonNull()) {
            return value;
        } else if (!value.isJsonObject()) {
            return HIDDEN;
        }
        JsonObject names = new JsonObject();
        value.getAsJsonObject().keySet().forEach(name -> names.add(name, HIDDEN));
        return names;
    }
}
