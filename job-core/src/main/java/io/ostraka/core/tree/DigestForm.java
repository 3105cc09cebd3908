package io.ostraka.core.tree;

import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.core.model.HealthDigest;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Encodes the digest of an instance's health. If there are many jobs, they are compressed. If they still do not fit,
 * the jobs with less severe reasons are left out, and the node contains their number.
 */
final class DigestForm implements JsonSerializer<HealthDigest>, JsonDeserializer<HealthDigest> {
    /** Largest size of the jobs in the node, in bytes. Together with the other fields, the node has at most 64 KiB. */
    private static final int MOST_BYTES = 46 << 10;

    /**
     * Largest size of the kinds of alarms in the node, in bytes. Since the names of jobs and kinds are ASCII, the size
     * in bytes is the length in characters.
     */
    private static final int MOST_ALARMS = 16 << 10;

    /** Largest size of the jobs before compression, in bytes. Limits the time that the compression takes. */
    private static final int MOST_PLAIN = 1 << 20;
    /**
     * Factor by which the estimated number of jobs that fit is reduced, so that the second attempt usually succeeds.
     */
    private static final double RESERVE = 0.9;

    private static final String JOBS = "jobs";
    private static final String ALARMS = "alarms";
    /** Field for the kinds of alarms if they are compressed. */
    static final String ALARMS_GZIP = "alarmsGzip";

    private static final String KIND = "kind";
    private static final Set<String> ALARM_KINDS =
            Stream.of(AlarmKind.values()).map(Enum::name).collect(Collectors.toUnmodifiableSet());
    private static final Set<String> KINDS =
            Stream.of(Kind.values()).map(Kind::name).collect(Collectors.toUnmodifiableSet());

    @Override
    public JsonElement serialize(HealthDigest digest, Type type, JsonSerializationContext context) {
        JsonObject json = Values.GSON.toJsonTree(digest).getAsJsonObject();
        if (json.get(ALARMS) instanceof JsonObject alarms && alarms.toString().length() > MOST_ALARMS) {
            json.addProperty(ALARMS_GZIP, packed(alarms));
            json.add(ALARMS, new JsonObject());
        }
        String jobs = json.get(JOBS).toString();
        int bytes = jobs.getBytes(StandardCharsets.UTF_8).length;
        if (bytes <= MOST_BYTES) {
            return json;
        }
        double excess = bytes / (double) MOST_PLAIN;
        if (excess <= 1) {
            String packed = CompressedText.pack(jobs);
            if (packed.length() <= MOST_BYTES) {
                json.add(JOBS, new JsonObject());
                json.addProperty(InstanceForm.JOBS_GZIP, packed);
                return json;
            }
            excess = packed.length() / (double) MOST_BYTES;
        }
        int fitting = (int) (digest.jobs().size() / excess * RESERVE);
        return serialize(digest.limitedTo(fitting), type, context);
    }

    /**
     * Compresses kinds of alarms. If they are still too large, leaves out jobs; the leader finds the causes of their
     * alarms in its audits.
     */
    private static String packed(JsonObject alarms) {
        String packed = CompressedText.pack(alarms.toString());
        while (packed.length() > MOST_ALARMS) {
            int fitting = (int) (alarms.size() * (MOST_ALARMS * RESERVE / packed.length()));
            List<String> jobs = List.copyOf(alarms.keySet());
            jobs.subList(fitting, jobs.size()).forEach(alarms::remove);
            packed = CompressedText.pack(alarms.toString());
        }
        return packed;
    }

    @Override
    public HealthDigest deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject().deepCopy();
        if (json.has(InstanceForm.JOBS_GZIP)) {
            json.add(JOBS, CompressedText.unpack(json, InstanceForm.JOBS_GZIP, JsonObject.class));
        }
        if (json.has(ALARMS_GZIP)) {
            json.add(ALARMS, CompressedText.unpack(json, ALARMS_GZIP, JsonObject.class));
        }
        if (json.get(ALARMS) instanceof JsonObject alarms) {
            alarms.asMap().values().forEach(DigestForm::dropUnknownKinds);
        }
        if (json.get(JOBS) instanceof JsonObject jobs) {
            jobs.asMap().values().forEach(DigestForm::readableKinds);
        }
        return Values.GSON.fromJson(json, HealthDigest.class);
    }

    /**
     * Replaces a kind of reason with {@link Kind#OTHER} if only a newer version knows it. Operators can still read the
     * text of the reason.
     */
    private static void readableKinds(JsonElement reasons) {
        if (reasons instanceof JsonArray all) {
            for (JsonElement each : all) {
                if (each instanceof JsonObject reason
                        && reason.get(KIND) instanceof JsonPrimitive kind
                        && kind.isString()
                        && !KINDS.contains(kind.getAsString())) {
                    reason.addProperty(KIND, Kind.OTHER.name());
                }
            }
        }
    }

    /** Removes the kinds of alarms that only a newer version knows. A leader of that version handles them. */
    private static void dropUnknownKinds(JsonElement kinds) {
        if (kinds instanceof JsonArray all) {
            all.asList()
                    .removeIf(kind -> kind instanceof JsonPrimitive name
                            && name.isString()
                            && !ALARM_KINDS.contains(name.getAsString()));
        }
    }
}
