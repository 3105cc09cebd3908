package io.ostraka.core.tree;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import io.ostraka.api.JobField;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of the API to JSON and back, in the same form as in nodes: times, durations and zones are strings,
 * and a schedule or a policy has a field {@code type}. Thread-safe.
 */
public final class ValueJson {
    private ValueJson() {}

    /** Returns the JSON form of a value of the API, such as a view. Components that are null are left out. */
    public static JsonElement write(Object value) {
        return Values.GSON.toJsonTree(value);
    }

    /** Returns the JSON form of a field's value. */
    public static JsonElement write(JobField<?> field, @Nullable Object value) {
        return value == null ? JsonNull.INSTANCE : Values.GSON.toJsonTree(value, field.type());
    }

    /**
     * Reads the value of a field. The caller checks whether the field accepts the value.
     *
     * @throws RuntimeException if the value does not have the type of the field; the message names the field
     */
    public static @Nullable Object read(JobField<?> field, JsonElement json) {
        if (json.isJsonNull()) {
            return null;
        }
        JsonObject holder = new JsonObject();
        holder.add(field.name(), json);
        return Values.part(holder, field.name(), TypeToken.get(field.type()));
    }

    /**
     * Reads a record.
     *
     * @throws RuntimeException if a component is missing or invalid, or if a field is not a component of the record;
     *     the message names the field
     */
    public static <T extends Record> T read(JsonObject json, Class<T> type) {
        Set<String> known = NodeFields.components(type).collect(Collectors.toCollection(TreeSet::new));
        for (String name : json.keySet()) {
            if (!known.contains(name)) {
                throw new JsonParseException("'" + name + "' is not known; accepted: " + known);
            }
            requireElements(name, json.get(name));
        }
        return NodeFields.read(Values.GSON, json, type);
    }

    /**
     * Checks that a collection contains no null. The constructors of records would also fail, but without naming the
     * component.
     */
    private static void requireElements(String name, JsonElement value) {
        if (value instanceof JsonArray array) {
            array.forEach(element -> requireElement(name, element));
        } else if (value instanceof JsonObject object) {
            object.asMap().forEach((key, element) -> requireElement(name + "." + key, element));
        }
    }

    private static void requireElement(String name, JsonElement element) {
        if (element.isJsonNull()) {
            throw new JsonParseException(name + " is null; accepted: a value");
        }
    }
}
