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
import io.ostraka.api.Schedule;
import io.ostraka.cli.terminal.TimeText;
import io.ostraka.cli.transport.Failure;
import java.io.StringReader;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Reads the values of fields of a job's configuration as people type them. The API checks the values. */
final class FieldText {
    private FieldText() {}

    /** Returns the names of the fields that an override may change. */
    static List<String> names() {
        return JobConfiguration.fields().stream()
                .filter(JobField::isOverridable)
                .map(JobField::name)
                .sorted()
                .toList();
    }

    /** Returns the values as JSON. */
    static JsonObject json(Map<?, ?> values) {
        JsonObject json = new JsonObject();
        values.forEach((name, value) -> json.add(name.toString(), json(name.toString(), value.toString())));
        return json;
    }

    private static JsonElement json(String name, String text) {
        Type type = JobConfiguration.field(name).<Type>map(JobField::type).orElse(Object.class);
        if (type == String.class) {
            return text.equals("null") ? JsonNull.INSTANCE : new JsonPrimitive(text);
        } else if (type == Duration.class && !text.equals("null")) {
            try {
                return new JsonPrimitive(TimeText.span(text).toString());
            } catch (IllegalArgumentException e) {
                throw Failure.usage(name + ": " + e.getMessage());
            }
        }
        JsonElement value = parsed(text);
        if (type == Schedule.class && !value.isJsonObject() && !value.isJsonNull()) {
            throw Failure.usage(name + " is '" + text + "'; accepted: JSON in quotation marks, such as '" + name
                    + "={\"type\":\"fixedRate\",\"period\":\"PT10S\"}' or '" + name
                    + "={\"type\":\"cron\",\"expression\":\"0 0 3 * * ?\",\"zone\":\"UTC\"}'. There is no short form");
        }
        return value;
    }

    /** Reads numbers, true, false, null, objects and arrays as JSON, and everything else as a text. */
    private static JsonElement parsed(String text) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            reader.setStrictness(Strictness.STRICT);
            return JsonParser.parseReader(reader);
        } catch (JsonParseException | IllegalStateException | java.io.IOException e) {
            return new JsonPrimitive(text);
        }
    }
}
