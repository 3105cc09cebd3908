package io.ostraka.core.tree;

import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import com.google.gson.reflect.TypeToken;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.core.model.Definition;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Encodes a job's definition with the fields that {@link JobConfiguration} declares. Decoding checks each field in the
 * same way as the registration of a job.
 */
final class DefinitionForm implements JsonSerializer<Definition>, JsonDeserializer<Definition> {
    /** Name of the field for {@link Definition#onceListeners()}, which is written only if true. */
    private static final String ONCE_LISTENERS = "onceListeners";

    /** Returns the names of all fields that a definition may have. */
    static Stream<String> fields() {
        return Stream.concat(JobConfiguration.fields().stream().map(JobField::name), Stream.of(ONCE_LISTENERS));
    }

    @Override
    public JsonElement serialize(Definition definition, Type type, JsonSerializationContext context) {
        JsonObject json = new JsonObject();
        for (JobField<?> field : JobConfiguration.fields()) {
            Object value = definition.configuration().value(field);
            if (!(field.isLeftOut() && Objects.equals(value, field.unset()))) {
                json.add(field.name(), Values.GSON.toJsonTree(value, field.type()));
            }
        }
        if (definition.onceListeners()) {
            json.addProperty(ONCE_LISTENERS, true);
        }
        return json;
    }

    @Override
    public Definition deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject();
        JobConfiguration.Builder read = JobConfiguration.newBuilder("", 0);
        JobConfiguration.fields().forEach(field -> read(json, read, field));
        return new Definition(read.build(), Boolean.TRUE.equals(Values.optional(json, ONCE_LISTENERS, Boolean.class)));
    }

    @SuppressWarnings("unchecked") // the type of a field is the type of its values
    private static <T> void read(JsonObject json, JobConfiguration.Builder to, JobField<T> field) {
        if (json.has(field.name()) || !field.isLeftOut()) {
            to.set(field, Values.part(json, field.name(), (TypeToken<T>) TypeToken.get(field.type())));
        }
    }
}
