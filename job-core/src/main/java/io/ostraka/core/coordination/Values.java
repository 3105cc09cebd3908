package io.ostraka.core.coordination;

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
import com.google.gson.Strictness;
import io.ostraka.api.Exclusions;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The form of what stands within nodes: times and zones as text, and one of several kinds of a thing by the kind's name. */
final class Values {
    /** Gson takes every text but "true" for false: what is not understood would mean that nothing was wanted. */
    private static final JsonDeserializer<Boolean> TRUE_OR_FALSE = (json, type, context) -> flag(json);

    /** Reads and writes what has no other form than its values'. */
    static final Gson GSON = builder().create();

    private Values() {}

    /**
     * Returns a boolean.
     *
     * @throws JsonParseException if the element is anything else
     */
    static boolean flag(JsonElement json) {
        if (json.isJsonPrimitive() && json.getAsJsonPrimitive().isBoolean()) {
            return json.getAsBoolean();
        }
        throw new JsonParseException("a value is " + json + "; accepted: true, false");
    }

    static GsonBuilder builder() {
        return new GsonBuilder()
                .disableHtmlEscaping()
                .setStrictness(Strictness.STRICT)
                .registerTypeAdapter(Instant.class, new TextForm<>(Instant::parse))
                .registerTypeAdapter(Duration.class, new TextForm<>(Duration::parse))
                .registerTypeAdapter(LocalDate.class, new TextForm<>(LocalDate::parse))
                .registerTypeAdapter(LocalTime.class, new TextForm<>(LocalTime::parse))
                .registerTypeAdapter(MonthDay.class, new TextForm<>(MonthDay::parse))
                .registerTypeAdapter(Boolean.class, TRUE_OR_FALSE)
                .registerTypeAdapter(boolean.class, TRUE_OR_FALSE)
                .registerTypeAdapter(Exclusions.class, new ExclusionsForm())
                .registerTypeHierarchyAdapter(ZoneId.class, new TextForm<>(ZoneId::of))
                .registerTypeAdapter(
                        Schedule.class,
                        new Choice<Schedule>(Map.of(
                                "cron", Schedule.Cron.class,
                                "fixedRate", Schedule.FixedRate.class,
                                "fixedDelay", Schedule.FixedDelay.class,
                                "adaptive", Schedule.Adaptive.class,
                                "continuous", Schedule.Continuous.class,
                                "once", Schedule.Once.class,
                                "onDemand", Schedule.OnDemand.class,
                                "bounded", Schedule.Bounded.class)))
                .registerTypeAdapter(
                        MisfirePolicy.class,
                        new Choice<MisfirePolicy>(Map.of(
                                "fireOnce", MisfirePolicy.FireOnce.class,
                                "skip", MisfirePolicy.Skip.class,
                                "fireAll", MisfirePolicy.FireAll.class)))
                .registerTypeAdapter(
                        OverlapPolicy.class,
                        new Choice<OverlapPolicy>(Map.of(
                                "skip", OverlapPolicy.Skip.class,
                                "coalesce", OverlapPolicy.Coalesce.class,
                                "cancelRunning", OverlapPolicy.CancelRunning.class,
                                "queue", OverlapPolicy.Queue.class)));
    }

    /** A value that has a text form. */
    private record TextForm<T>(Function<String, T> parse) implements JsonSerializer<T>, JsonDeserializer<T> {
        @Override
        public JsonElement serialize(T value, Type type, JsonSerializationContext context) {
            return new JsonPrimitive(value.toString());
        }

        @Override
        public T deserialize(JsonElement json, Type type, JsonDeserializationContext context) {
            return parse.apply(json.getAsString());
        }
    }

    /** One of several records, named by a field. */
    private record Choice<T>(Map<String, Class<? extends T>> kinds) implements JsonSerializer<T>, JsonDeserializer<T> {
        @Override
        public JsonElement serialize(T value, Type type, JsonSerializationContext context) {
            JsonObject json = GSON.toJsonTree(value, value.getClass()).getAsJsonObject();
            kinds.forEach((name, kind) -> {
                if (kind.isInstance(value)) {
                    json.addProperty("type", name);
                }
            });
            return json;
        }

        @Override
        public T deserialize(JsonElement json, Type type, JsonDeserializationContext context) {
            String name = json.getAsJsonObject().get("type").getAsString();
            Class<? extends T> kind = kinds.get(name);
            if (kind == null) {
                throw new JsonParseException(
                        "type is '" + name + "'; accepted: " + new TreeMap<>(kinds).navigableKeySet());
            }
            return GSON.fromJson(json, (Type) kind);
        }
    }
}
