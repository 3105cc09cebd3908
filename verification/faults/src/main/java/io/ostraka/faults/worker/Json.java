package io.ostraka.faults.worker;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** The JSON form of the records that the processes of this package exchange. */
final class Json {
    static final Gson GSON = new GsonBuilder()
            .registerTypeAdapter(Instant.class, new InstantAsText())
            .registerTypeAdapter(Event.class, new OneOf(Event.class))
            .registerTypeAdapter(Write.class, new OneOf(Write.class))
            .create();

    private Json() {}

    private static final class InstantAsText implements JsonSerializer<Instant>, JsonDeserializer<Instant> {
        @Override
        public JsonElement serialize(Instant instant, Type type, JsonSerializationContext context) {
            return new JsonPrimitive(instant.toString());
        }

        @Override
        public Instant deserialize(JsonElement json, Type type, JsonDeserializationContext context) {
            return Instant.parse(json.getAsString());
        }
    }

    /**
     * Converts the records that a sealed interface permits. The field {@code kind} contains the class name of the
     * record.
     */
    private static final class OneOf implements JsonSerializer<Object>, JsonDeserializer<Object> {
        private static final String KIND = "kind";

        private final Map<String, Class<?>> kinds = new HashMap<>();

        OneOf(Class<?> sealed) {
            add(sealed);
        }

        private void add(Class<?> type) {
            if (type.isSealed()) {
                for (Class<?> each : type.getPermittedSubclasses()) {
                    add(each);
                }
            } else {
                kinds.put(type.getSimpleName(), type);
            }
        }

        @Override
        public JsonElement serialize(Object value, Type type, JsonSerializationContext context) {
            JsonObject json = new JsonObject();
            json.addProperty(KIND, value.getClass().getSimpleName());
            context.serialize(value, value.getClass()).getAsJsonObject().asMap().forEach(json::add);
            return json;
        }

        @Override
        public Object deserialize(JsonElement json, Type type, JsonDeserializationContext context) {
            String kind = json.getAsJsonObject().get(KIND).getAsString();
            Class<?> known = kinds.get(kind);
            if (known == null) {
                throw new JsonParseException("no kind '" + kind + "'; there are " + kinds.keySet());
            }
            return context.deserialize(json, known);
        }
    }
}
