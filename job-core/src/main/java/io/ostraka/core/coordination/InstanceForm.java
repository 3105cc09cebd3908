package io.ostraka.core.coordination;

import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import io.ostraka.core.model.InstanceInfo;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** The form of an instance: its job names in plain as long as they are few, compressed beyond. */
final class InstanceForm implements JsonSerializer<InstanceInfo>, JsonDeserializer<InstanceInfo> {
    /** Stands for the job names where they are many. */
    static final String JOBS_GZIP = "jobsGzip";

    /** Only there where there are some. */
    private static final String ONCE_LISTENERS = "onceListeners";

    private static final int MAX_UNZIPPED_BYTES = 1 << 24;
    private static final int PLAIN_JOBS_BYTES = 64 << 10;

    @Override
    public JsonElement serialize(InstanceInfo instance, Type type, JsonSerializationContext context) {
        JsonObject json = Values.GSON.toJsonTree(instance).getAsJsonObject();
        String jobs = json.get("jobs").toString();
        if (jobs.length() > PLAIN_JOBS_BYTES) {
            json.add("jobs", new JsonArray());
            json.addProperty(JOBS_GZIP, gzip(jobs));
        }
        if (instance.onceListeners().isEmpty()) {
            json.remove(ONCE_LISTENERS);
        }
        return json;
    }

    @Override
    public InstanceInfo deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject();
        if (!json.has(ONCE_LISTENERS)) {
            json.add(ONCE_LISTENERS, new JsonArray());
        }
        if (json.has(JOBS_GZIP)) {
            json = json.deepCopy();
            json.add("jobs", Values.GSON.fromJson(gunzip(json.remove(JOBS_GZIP).getAsString()), JsonArray.class));
        }
        return Values.GSON.fromJson(json, InstanceInfo.class);
    }

    private static String gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static String gunzip(String packed) {
        try (GZIPInputStream gzip =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
            byte[] bytes = gzip.readNBytes(MAX_UNZIPPED_BYTES);
            if (gzip.read() >= 0) {
                throw new JsonParseException("jobsGzip unpacks to more than " + MAX_UNZIPPED_BYTES + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new JsonParseException("jobsGzip can't be unpacked", e);
        }
    }
}
