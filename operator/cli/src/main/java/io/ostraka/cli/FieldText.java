package io.ostraka.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.cli.terminal.Json;
import io.ostraka.cli.terminal.TimeText;
import io.ostraka.cli.transport.Failure;
import io.ostraka.core.tree.ValueJson;
import java.io.StringReader;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the values of fields of a job's configuration as people type them. The API checks the values. */
final class FieldText {
    private static final String SCHEDULE = "schedule";
    private static final String CRON = "cron";
    private static final String ZONE = "timeZone";

    /** Types of schedules with a short form such as {@code fixedRate=10s}: the member that the value becomes. */
    private static final Map<String, String> SCHEDULES = new TreeMap<>(
            Map.of(CRON, "expression", "fixedRate", "period", "fixedDelay", "delay", "continuous", "idle"));

    private static final String ACCEPTED_SCHEDULES = "one of 'cron=0 0 3 * * ?' (in UTC, or with timeZone=ZONE),"
            + " fixedRate=10s, fixedDelay=10s, continuous=10s, or JSON such as"
            + " 'schedule={\"type\":\"once\",\"at\":\"2026-01-31T22:00:00Z\"}'";

    /** Types whose values people write without JSON. */
    private static final Map<Type, Function<String, Object>> TEXTS = Map.of(
            Duration.class,
            TimeText::span,
            MisfirePolicy.class,
            MisfirePolicy::of,
            OverlapPolicy.class,
            OverlapPolicy::of);

    private FieldText() {}

    /** Returns the names of the fields that an override may change. */
    static List<String> names() {
        return JobConfiguration.fields().stream()
                .filter(JobField::isOverridable)
                .map(JobField::name)
                .sorted()
                .toList();
    }

    /** Returns the names that may stand before an equals sign: the fields, and the short forms of a schedule. */
    static List<String> settable() {
        return Stream.concat(names().stream(), Stream.concat(SCHEDULES.keySet().stream(), Stream.of(ZONE)))
                .sorted()
                .toList();
    }

    /** Returns the fields that the values set. */
    static List<String> fields(Map<?, ?> values) {
        return values.keySet().stream()
                .map(Object::toString)
                .map(each -> isOfSchedule(each) ? SCHEDULE : each)
                .distinct()
                .toList();
    }

    private static boolean isOfSchedule(String name) {
        return SCHEDULES.containsKey(name) || name.equals(ZONE);
    }

    /** Returns the values as JSON. */
    static JsonObject json(Map<?, ?> values) {
        JsonObject json = new JsonObject();
        Map<String, String> schedule = new TreeMap<>();
        values.forEach((name, value) -> {
            if (isOfSchedule(name.toString())) {
                schedule.put(name.toString(), value.toString());
            } else {
                json.add(name.toString(), json(name.toString(), value.toString()));
            }
        });
        if (!schedule.isEmpty()) {
            String zone = schedule.remove(ZONE);
            if (schedule.size() != 1 || json.has(SCHEDULE) || (zone != null && !schedule.containsKey(CRON))) {
                throw Failure.usage("schedule is set by "
                        + String.join(
                                " and ",
                                values.keySet().stream()
                                        .map(Object::toString)
                                        .filter(each -> isOfSchedule(each) || each.equals(SCHEDULE))
                                        .sorted()
                                        .toList())
                        + "; accepted: " + ACCEPTED_SCHEDULES);
            }
            schedule.forEach((type, value) -> json.add(SCHEDULE, schedule(type, value, zone)));
        }
        return json;
    }

    private static JsonObject schedule(String type, String value, @Nullable String zone) {
        JsonObject json = new JsonObject();
        json.addProperty("type", type);
        json.addProperty(
                String.valueOf(SCHEDULES.get(type)),
                type.equals(CRON) ? value : parsed(type, value, TimeText::span).toString());
        if (type.equals(CRON)) {
            json.addProperty("zone", zone == null ? "UTC" : zone);
        }
        return json;
    }

    private static JsonElement json(String name, String text) {
        JobField<?> field = JobConfiguration.field(name).orElse(null);
        if (text.equals("null")) {
            return JsonNull.INSTANCE;
        } else if (field == null || field.type() == String.class) {
            return field == null ? json(text) : new JsonPrimitive(text);
        }
        JsonElement value = json(text);
        if (!(value instanceof JsonPrimitive)) {
            return value;
        } else if (field.type() == Schedule.class) {
            throw Failure.usage(name + " is '" + text + "'; accepted: " + ACCEPTED_SCHEDULES);
        } else if (field.type() == RetryPolicy.class) {
            throw Failure.usage(name + " is '" + text + "'; accepted: JSON in quotation marks, such as '" + name + "="
                    + Json.line(ValueJson.write(field, field.unset())) + "'");
        } else if (field.type() instanceof ParameterizedType) {
            return texts(name, text);
        }
        Function<String, Object> parser = TEXTS.get(field.type());
        return parser == null ? value : ValueJson.write(field, parsed(name, text, parser));
    }

    private static Object parsed(String name, String text, Function<String, Object> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw Failure.usage(name + ": " + e.getMessage());
        }
    }

    private static JsonObject texts(String name, String text) {
        JsonObject json = new JsonObject();
        for (String each : text.split(",", -1)) {
            String[] parts = each.split("=", 2);
            if (parts.length < 2 || json.has(parts[0].strip())) {
                throw Failure.usage(
                        name + " is '" + text + "'; accepted: KEY=TEXT,KEY=TEXT with different keys, or JSON"
                                + " in quotation marks if a text contains a comma");
            }
            json.addProperty(parts[0].strip(), parts[1].strip());
        }
        return json;
    }

    /** Reads numbers, true, false, null, objects and arrays as JSON, and everything else as a text. */
    private static JsonElement json(String text) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            reader.setStrictness(Strictness.STRICT);
            return JsonParser.parseReader(reader);
        } catch (JsonParseException | IllegalStateException | java.io.IOException e) {
            return new JsonPrimitive(text);
        }
    }
}
