package io.ostraka.core.tree;

import com.google.gson.JsonArray;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.AlarmKind;
import io.ostraka.core.model.JobAlarms;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decodes the alarms of a job. Leaves out alarms of kinds that only a newer version of this library knows. */
final class AlarmsForm implements JsonDeserializer<JobAlarms> {
    private static final Set<String> KINDS =
            Stream.of(AlarmKind.values()).map(Enum::name).collect(Collectors.toUnmodifiableSet());

    @Override
    public JobAlarms deserialize(JsonElement element, Type type, JsonDeserializationContext context) {
        JsonObject json = element.getAsJsonObject().deepCopy();
        if (json.get("alarms") instanceof JsonArray alarms) {
            alarms.asList().removeIf(AlarmsForm::isUnknown);
        }
        return Values.GSON.fromJson(json, JobAlarms.class);
    }

    private static boolean isUnknown(JsonElement alarm) {
        return alarm instanceof JsonObject entry
                && entry.get("kind") instanceof JsonPrimitive kind
                && kind.isString()
                && !KINDS.contains(kind.getAsString());
    }
}
