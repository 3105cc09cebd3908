package io.ostraka.core.tree;

import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import io.ostraka.core.model.JobOverride;
import java.lang.reflect.Type;

/** The form of an override: disabled instances only where there are some, as earlier versions know none. */
final class OverrideForm implements JsonSerializer<JobOverride>, JsonDeserializer<JobOverride> {
    private static final String DISABLED_INSTANCES = "disabledInstances";

    @Override
    public JsonElement serialize(JobOverride override, Type type, JsonSerializationContext context) {
        JsonObject json = Values.GSON.toJsonTree(override).getAsJsonObject();
        if (override.disabledInstances().isEmpty()) {
            json.remove(DISABLED_INSTANCES);
        }
        return json;
    }

    @Override
    public JobOverride deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject();
        if (!json.has(DISABLED_INSTANCES)) {
            json.add(DISABLED_INSTANCES, new JsonArray());
        }
        return Values.GSON.fromJson(json, JobOverride.class);
    }
}
