package io.ostraka.core.tree;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.core.model.JobOverride;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Encodes an override. A changed field has the same name and form as in a definition; null means that the field has no
 * value, even if the definition has one.
 */
final class OverrideForm extends TypeAdapter<JobOverride> {
    private static final String REMOVED = "removed";
    private static final String DISABLED_ITEMS = "disabledItems";
    private static final String DISABLED_INSTANCES = "disabledInstances";
    private static final String SKIP_TO = "skipTo";
    private static final String SILENCED_ALARMS = "silencedAlarms";
    private static final String CHANGES = "changes";
    private static final String REQUESTS = "requests";

    private static final TypeToken<List<String>> TEXTS = new TypeToken<>() {};
    private static final TypeToken<JobOverride.Change> CHANGE = TypeToken.get(JobOverride.Change.class);

    /** Returns the names of all fields that an override may have. */
    static Stream<String> fields() {
        return Stream.concat(JobOverride.names(), Stream.of(CHANGES, REQUESTS));
    }

    @Override
    public void write(JsonWriter out, JobOverride override) throws IOException {
        JsonObject json = new JsonObject();
        override.fields()
                .forEach((field, value) -> json.add(
                        field.name(),
                        value.map(present -> Values.GSON.toJsonTree(present, field.type()))
                                .orElse(JsonNull.INSTANCE)));
        if (override.removed()) {
            json.addProperty(REMOVED, true);
        }
        if (!override.disabledItems().isEmpty()) {
            json.add(DISABLED_ITEMS, Values.GSON.toJsonTree(override.disabledItems()));
        }
        if (!override.disabledInstances().isEmpty()) {
            json.add(DISABLED_INSTANCES, Values.GSON.toJsonTree(override.disabledInstances()));
        }
        if (override.skipTo() != null) {
            json.addProperty(SKIP_TO, override.skipTo().toString());
        }
        if (!override.silencedAlarms().isEmpty()) {
            json.add(SILENCED_ALARMS, Values.GSON.toJsonTree(override.silencedAlarms()));
        }
        if (!override.changes().isEmpty()) {
            JsonObject changes = new JsonObject();
            override.changes().forEach((name, change) -> changes.add(name, Values.GSON.toJsonTree(change)));
            json.add(CHANGES, changes);
        }
        if (!override.requests().isEmpty()) {
            json.add(REQUESTS, Values.GSON.toJsonTree(override.requests()));
        }
        boolean nulls = out.getSerializeNulls();
        out.setSerializeNulls(true);
        NodeFields.ELEMENTS.write(out, json);
        out.setSerializeNulls(nulls);
    }

    @Override
    public JobOverride read(JsonReader in) throws IOException {
        JsonObject json = NodeFields.ELEMENTS.read(in).getAsJsonObject();
        Map<JobField<?>, Optional<?>> fields = new HashMap<>();
        for (JobField<?> field : JobConfiguration.fields()) {
            JsonElement value = json.get(field.name());
            // if a field with a default is null, a person has edited the node, and the field counts as not changed
            if (field.isOverridable() && value != null && !(value.isJsonNull() && field.unset() != null)) {
                fields.put(
                        field,
                        value.isJsonNull()
                                ? Optional.empty()
                                : Optional.of(Values.part(json, field.name(), TypeToken.get(field.type()))));
            }
        }
        return new JobOverride(
                fields,
                Boolean.TRUE.equals(Values.optional(json, REMOVED, Boolean.class)),
                json.has(DISABLED_ITEMS) ? new TreeSet<>(texts(json, DISABLED_ITEMS)) : Set.of(),
                json.has(DISABLED_INSTANCES) ? new TreeSet<>(texts(json, DISABLED_INSTANCES)) : Set.of(),
                Values.optional(json, SKIP_TO, Instant.class),
                json.has(SILENCED_ALARMS) ? silenced(json) : Set.of(),
                changes(Values.optional(json, CHANGES, JsonObject.class)),
                json.has(REQUESTS) ? texts(json, REQUESTS) : List.of());
    }

    private static List<String> texts(JsonObject json, String field) {
        List<String> texts = Values.part(json, field, TEXTS);
        if (texts.contains(null)) {
            throw new JsonParseException("an element of " + field + " is missing");
        }
        return texts;
    }

    /** Returns the silenced kinds of alarms. Kinds that only a newer version knows are left out. */
    private static Set<AlarmKind> silenced(JsonObject json) {
        List<String> names = texts(json, SILENCED_ALARMS);
        return Stream.of(AlarmKind.values())
                .filter(kind -> names.contains(kind.name()))
                .collect(Collectors.toSet());
    }

    private static Map<String, JobOverride.Change> changes(@Nullable JsonObject json) {
        Map<String, JobOverride.Change> changes = new TreeMap<>();
        if (json != null) {
            for (String name : json.keySet()) {
                try {
                    changes.put(name, Values.part(json, name, CHANGE));
                } catch (RuntimeException e) {
                    throw NodeFields.within("." + CHANGES, e);
                }
            }
        }
        return changes;
    }
}
