package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.AlarmKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Types of parameters. A type decides how a parameter is typed, completed, and written in the body of a request. */
enum Kind {
    /** A text. */
    TEXT(String.class, false),
    /** A time. */
    TIME(Instant.class, false),
    /** A duration. */
    SPAN(Duration.class, false),
    /** A whole number. */
    NUMBER(Integer.class, false),
    /** A flag whose member is true if the flag is given. */
    ON(boolean.class, false),
    /** A flag whose member is false if the flag is given. */
    OFF(boolean.class, false),
    /** Several texts. */
    TEXTS(String.class, true),
    /** Several texts, each in a request of its own. */
    EACH(String.class, true),
    /** Kinds of alarms. */
    ALARM_KINDS(AlarmKind.class, true),
    /** Texts with names. */
    PAIRS(String.class, true),
    /** Values of fields of a job's configuration, by name. */
    FIELDS(String.class, true),
    /** A file with a JSON object. */
    DOCUMENT(String.class, false);

    private final Class<?> type;
    private final boolean several;

    Kind(Class<?> type, boolean several) {
        this.type = type;
        this.several = several;
    }

    Class<?> type() {
        return type;
    }

    boolean isSeveral() {
        return several;
    }

    boolean isFlag() {
        return type == boolean.class;
    }

    boolean isMap() {
        return this == PAIRS || this == FIELDS;
    }

    /** Returns the JSON of a parsed value. */
    JsonElement json(Object value) {
        if (this == OFF) {
            return new JsonPrimitive(false);
        } else if (this == FIELDS) {
            return FieldText.json((Map<?, ?>) value);
        } else if (this == DOCUMENT) {
            return Documents.read(value.toString());
        } else if (value instanceof Integer number) {
            return new JsonPrimitive(number);
        } else if (value instanceof Boolean flag) {
            return new JsonPrimitive(flag);
        } else if (value instanceof List<?> list) {
            JsonArray array = new JsonArray();
            list.forEach(each -> array.add(each.toString()));
            return array;
        } else if (value instanceof Map<?, ?> map) {
            JsonObject object = new JsonObject();
            map.forEach((name, each) -> object.addProperty(name.toString(), each.toString()));
            return object;
        }
        return new JsonPrimitive(value.toString());
    }
}
