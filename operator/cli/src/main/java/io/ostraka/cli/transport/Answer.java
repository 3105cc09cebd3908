package io.ostraka.cli.transport;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.core.tree.ValueJson;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A successful answer of the API.
 *
 * @param json the whole answer, which the outputs {@code json} and {@code yaml} print
 * @param value the members that the command line uses; a record of the API, or of {@link Answers}
 */
public record Answer<T extends Record>(JsonObject json, T value) {
    /**
     * Reads an answer. Ignores members that the record does not have, because the server may have a later version.
     *
     * @throws Failure if a member is missing or has another type; the text names the member
     */
    static <T extends Record> Answer<T> of(JsonObject json, Class<T> type) {
        try {
            requireMembers(json, type, "");
            JsonObject known = new JsonObject();
            for (RecordComponent each : type.getRecordComponents()) {
                if (json.has(each.getName())) {
                    known.add(each.getName(), json.get(each.getName()));
                }
            }
            return new Answer<>(json, ValueJson.read(known, type));
        } catch (RuntimeException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            throw new Failure(
                    ExitCode.FAILED,
                    "this program cannot read the answer: " + root.getMessage() + "; check the address in --server, and"
                            + " use the version of the server");
        }
    }

    /** Checks the records inside lists and maps, too. Their constructors would fail without naming the member. */
    private static void requireMembers(@Nullable JsonElement json, Type type, String path) {
        Type[] parts = type instanceof ParameterizedType generic ? generic.getActualTypeArguments() : new Type[0];
        if (json == null || json.isJsonNull()) {
            throw new IllegalArgumentException(path.substring(1) + " is missing");
        } else if (json instanceof JsonArray array && parts.length == 1) {
            for (int i = 0; i < array.size(); i++) {
                requireMembers(array.get(i), parts[0], path + "[" + i + "]");
            }
        } else if (json instanceof JsonObject object && parts.length == 2) {
            object.asMap().forEach((name, value) -> requireMembers(value, parts[1], path + "." + name));
        } else if (json instanceof JsonObject object && type instanceof Class<?> record && record.isRecord()) {
            for (RecordComponent each : record.getRecordComponents()) {
                JsonElement value = object.get(each.getName());
                boolean absent = value == null || value.isJsonNull();
                if (!absent || !each.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                    requireMembers(value, each.getGenericType(), path + "." + each.getName());
                }
            }
        }
    }
}
