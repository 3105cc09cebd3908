package io.ostraka.core.tree;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handles fields that were added in a later version of this library. Such a field is not written while it has its
 * default value, and a missing field is read as the default. Instances of earlier versions can therefore read all nodes
 * until a user sets such a field.
 */
final class LaterFields implements TypeAdapterFactory {
    /** Default values of the fields that were added after format 4, by type and name. */
    static final Map<Class<?>, Map<String, JsonElement>> ADDED = Map.of();

    private final Map<Class<?>, Map<String, JsonElement>> added;

    /** @param added default values of the added fields, by type and name */
    LaterFields(Map<Class<?>, Map<String, JsonElement>> added) {
        this.added = added;
    }

    @Override
    public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
        Map<String, JsonElement> defaults = added.get(type.getRawType());
        return defaults == null ? null : new Form<>(gson.getDelegateAdapter(this, type), defaults);
    }

    private static final class Form<T> extends TypeAdapter<T> {
        private final TypeAdapter<T> whole;
        private final Map<String, JsonElement> defaults;

        Form(TypeAdapter<T> whole, Map<String, JsonElement> defaults) {
            this.whole = whole;
            this.defaults = defaults;
        }

        @Override
        public void write(JsonWriter out, @Nullable T value) throws IOException {
            JsonElement json = whole.toJsonTree(value);
            if (json instanceof JsonObject fields) {
                fields.entrySet().removeIf(field -> field.getValue().equals(defaults.get(field.getKey())));
            }
            NodeFields.ELEMENTS.write(out, json);
        }

        @Override
        public @Nullable T read(JsonReader in) throws IOException {
            JsonElement json = NodeFields.ELEMENTS.read(in);
            if (json.isJsonNull()) {
                return null;
            }
            if (!(json instanceof JsonObject fields)) {
                throw NodeFields.Misread.of(in, json, "an object");
            }
            defaults.forEach((name, value) -> fields.asMap().putIfAbsent(name, value));
            try {
                return whole.fromJsonTree(fields);
            } catch (RuntimeException e) {
                throw NodeFields.within(in.getPreviousPath().substring(1), e);
            }
        }
    }
}
