package io.ostraka.core.tree;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.InstanceMatch;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gson adapters for the values in nodes. Times and zones are written as strings. A value of a sealed type has a field
 * {@code type} that names its subtype.
 */
final class Values {
    /** Creates adapters that reject an unknown name of an enum constant. Gson would read such a name as null. */
    private static final TypeAdapterFactory ENUMS = new TypeAdapterFactory() {
        @Override
        @SuppressWarnings("unchecked") // the raw type is T
        public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
            Class<?> raw = type.getRawType();
            return raw.isEnum() ? (TypeAdapter<T>) named(raw.asSubclass(Enum.class)) : null;
        }

        @SuppressWarnings("unchecked")
        private <E extends Enum<E>> Form<E> named(Class<?> type) {
            Class<E> names = (Class<E>) type;
            return text(name -> Enum.valueOf(names, name), "one of " + Arrays.toString(names.getEnumConstants()));
        }
    };

    /**
     * Creates adapters for maps. If a value is invalid, the exception names the value's key. Gson's own adapter does
     * not name the key.
     */
    private static final TypeAdapterFactory MAPS = new TypeAdapterFactory() {
        @Override
        @SuppressWarnings("unchecked") // T is a map of these keys and values
        public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
            if (type.getRawType() != Map.class || !(type.getType() instanceof ParameterizedType map)) {
                return null;
            }
            return (TypeAdapter<T>) new Entries<>(
                    (TypeAdapter<Map<Object, Object>>) gson.getDelegateAdapter(this, type),
                    (TypeAdapter<Object>) gson.getAdapter(TypeToken.get(map.getActualTypeArguments()[0])),
                    (TypeAdapter<Object>) gson.getAdapter(TypeToken.get(map.getActualTypeArguments()[1])));
        }
    };

    /** Gson for all values without an adapter in {@link Codec}. */
    static final Gson GSON = builder().create();

    private Values() {}

    /**
     * Reads one field of an object.
     *
     * @throws RuntimeException if the field is missing or invalid; the message names the field
     */
    static <T> T part(JsonObject json, String field, TypeToken<T> type) {
        return NodeFields.part(json, field, type, GSON::fromJson);
    }

    /** Reads one field of an object, like {@link #part(JsonObject, String, TypeToken)}. */
    static <T> T part(JsonObject json, String field, Class<T> type) {
        return part(json, field, TypeToken.get(type));
    }

    /** Reads one field of an object; returns null if the field is missing. */
    static <T> @Nullable T optional(JsonObject json, String field, Class<T> type) {
        return json.has(field) ? part(json, field, type) : null;
    }

    static GsonBuilder builder() {
        return new GsonBuilder()
                .disableHtmlEscaping()
                .setStrictness(Strictness.STRICT)
                .registerTypeAdapter(Instant.class, text(Instant::parse, "a time such as 2026-01-31T22:00:00Z"))
                .registerTypeAdapter(Duration.class, text(Duration::parse, "a duration such as PT1H30M"))
                .registerTypeAdapter(LocalDate.class, text(LocalDate::parse, "a date such as 2026-01-31"))
                .registerTypeAdapter(LocalTime.class, text(LocalTime::parse, "a time of day such as 22:30"))
                .registerTypeAdapter(MonthDay.class, text(MonthDay::parse, "a day of the year such as --01-31"))
                .registerTypeHierarchyAdapter(ZoneId.class, text(ZoneId::of, "a time zone such as Europe/Berlin"))
                .registerTypeAdapter(
                        InstanceMatch.class, text(InstanceMatch::parse, "an expression such as gpu & !batch"))
                .registerTypeAdapter(
                        AlarmPolicy.class, text(AlarmPolicy::of, "default, off, or settings such as MISSED=PT10M"))
                .registerTypeAdapter(
                        HistoryLevel.class,
                        text(HistoryLevel::of, "ALL, FAILURES, NONE, or a level such as SLOW(PT10S)"))
                .registerTypeAdapter(Boolean.class, flag(false))
                .registerTypeAdapter(boolean.class, flag(true))
                .registerTypeAdapter(Integer.class, number(Integer::valueOf, "a whole number", false))
                .registerTypeAdapter(int.class, number(Integer::valueOf, "a whole number", true))
                .registerTypeAdapter(Long.class, number(Long::valueOf, "a whole number", false))
                .registerTypeAdapter(long.class, number(Long::valueOf, "a whole number", true))
                .registerTypeAdapter(double.class, number(Double::valueOf, "a number", true))
                .registerTypeAdapterFactory(ENUMS)
                .registerTypeAdapterFactory(MAPS)
                .registerTypeAdapterFactory(new LaterFields(LaterFields.ADDED))
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

    private static <T> Form<T> text(Function<String, T> parse, String accepted) {
        return new Form<>(json -> parse.apply(json.getAsString()), accepted, false);
    }

    /**
     * Returns an adapter for booleans that accepts only true and false. Gson reads every string except "true" as false,
     * which would hide mistakes.
     */
    private static Form<Boolean> flag(boolean primitive) {
        return new Form<>(
                json -> {
                    if (!json.getAsJsonPrimitive().isBoolean()) {
                        throw new IllegalArgumentException();
                    }
                    return json.getAsBoolean();
                },
                "true, false",
                primitive);
    }

    /** Returns an adapter for numbers that rejects numbers out of range. Gson would truncate them. */
    private static <N extends Number> Form<N> number(Function<String, N> exact, String accepted, boolean primitive) {
        return new Form<>(json -> exact.apply(json.getAsString()), accepted, primitive);
    }

    /** Adapter for a value that is written as a single JSON string, number or boolean. */
    private static final class Form<T> extends TypeAdapter<T> {
        private final Function<JsonElement, T> parse;
        private final String accepted;
        private final boolean primitive;

        Form(Function<JsonElement, T> parse, String accepted, boolean primitive) {
            this.parse = parse;
            this.accepted = accepted;
            this.primitive = primitive;
        }

        @Override
        public void write(JsonWriter out, @Nullable T value) throws IOException {
            if (value instanceof Number number) {
                out.value(number);
            } else if (value instanceof Boolean flag) {
                out.value(flag);
            } else if (value instanceof Enum<?> name) {
                out.value(name.name());
            } else {
                out.value(value == null ? null : value.toString());
            }
        }

        @Override
        public @Nullable T read(JsonReader in) throws IOException {
            JsonElement json = NodeFields.ELEMENTS.read(in);
            if (json.isJsonNull() && !primitive) {
                return null;
            }
            try {
                if (json.isJsonPrimitive()) {
                    return parse.apply(json);
                }
            } catch (RuntimeException e) { // rejected below
            }
            throw NodeFields.Misread.of(in, json, accepted);
        }
    }

    private static final class Entries<K, V> extends TypeAdapter<Map<K, V>> {
        private final TypeAdapter<Map<K, V>> whole;
        private final TypeAdapter<K> keys;
        private final TypeAdapter<V> values;

        Entries(TypeAdapter<Map<K, V>> whole, TypeAdapter<K> keys, TypeAdapter<V> values) {
            this.whole = whole;
            this.keys = keys;
            this.values = values;
        }

        @Override
        public void write(JsonWriter out, @Nullable Map<K, V> value) throws IOException {
            whole.write(out, value);
        }

        @Override
        public @Nullable Map<K, V> read(JsonReader in) throws IOException {
            JsonElement json = NodeFields.ELEMENTS.read(in);
            if (json.isJsonNull()) {
                return null;
            }
            if (!json.isJsonObject()) {
                throw NodeFields.Misread.of(in, json, "an object");
            }
            String place = in.getPreviousPath().substring(1);
            Map<K, V> read = new LinkedHashMap<>();
            json.getAsJsonObject().asMap().forEach((key, value) -> {
                try {
                    read.put(keys.fromJsonTree(new JsonPrimitive(key)), values.fromJsonTree(value));
                } catch (RuntimeException e) {
                    throw NodeFields.within(place + "." + key, e);
                }
            });
            return read;
        }
    }

    /** Adapter for a sealed type. The field {@code type} names the subtype, such as {@code cron}. */
    private static final class Choice<T> extends TypeAdapter<T> {
        private final Map<String, Class<? extends T>> kinds;

        Choice(Map<String, Class<? extends T>> kinds) {
            this.kinds = new TreeMap<>(kinds);
        }

        @Override
        public void write(JsonWriter out, @Nullable T value) throws IOException {
            if (value == null) {
                out.nullValue();
                return;
            }
            JsonObject json = GSON.toJsonTree(value, value.getClass()).getAsJsonObject();
            kinds.forEach((name, kind) -> {
                if (kind.isInstance(value)) {
                    json.addProperty("type", name);
                }
            });
            NodeFields.ELEMENTS.write(out, json);
        }

        @Override
        public @Nullable T read(JsonReader in) throws IOException {
            JsonElement json = NodeFields.ELEMENTS.read(in);
            if (json.isJsonNull()) {
                return null;
            }
            if (!json.isJsonObject() || !json.getAsJsonObject().has("type")) {
                throw NodeFields.Misread.of(in, json, "an object with a type, one of " + kinds.keySet());
            }
            JsonElement name = json.getAsJsonObject().get("type");
            Class<? extends T> kind = name.isJsonPrimitive() ? kinds.get(name.getAsString()) : null;
            if (kind == null) {
                throw NodeFields.Misread.of(in, name, "a type, one of " + kinds.keySet());
            }
            try {
                return NodeFields.read(GSON, json.getAsJsonObject(), kind);
            } catch (RuntimeException e) {
                throw NodeFields.within(in.getPreviousPath().substring(1), e);
            }
        }
    }
}
