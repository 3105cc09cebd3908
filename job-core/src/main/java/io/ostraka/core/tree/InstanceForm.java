package io.ostraka.core.tree;

import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import io.ostraka.core.model.InstanceInfo;
import java.lang.reflect.Type;

/** Encodes the registration of an instance. A long list of job names is compressed. */
final class InstanceForm implements JsonSerializer<InstanceInfo>, JsonDeserializer<InstanceInfo> {
    /** Name of the field for the compressed list. If this field exists, the plain list is empty. */
    static final String JOBS_GZIP = "jobsGzip";

    @Override
    public JsonElement serialize(InstanceInfo instance, Type type, JsonSerializationContext context) {
        JsonObject json = Values.GSON.toJsonTree(instance).getAsJsonObject();
        String jobs = json.get("jobs").toString();
        if (jobs.length() > CompressedText.PLAIN_LENGTH) {
            json.add("jobs", new JsonArray());
            json.addProperty(JOBS_GZIP, CompressedText.pack(jobs));
        }
        return json;
    }

    @Override
    public InstanceInfo deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject();
        if (json.has(JOBS_GZIP)) {
            json = json.deepCopy();
            json.add("jobs", CompressedText.unpack(json, JOBS_GZIP, JsonArray.class));
        }
        return Values.GSON.fromJson(json, InstanceInfo.class);
    }
}
