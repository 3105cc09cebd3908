package io.ostraka.cli.transport;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A JSON object in an answer of the API. A member that is missing or has an unexpected type counts as empty, because
 * the server may have another version.
 *
 * @param json the object
 */
public record Answer(JsonObject json) {
    public static final Answer EMPTY = new Answer(new JsonObject());

    public static Answer of(JsonElement json) {
        return json.isJsonObject() ? new Answer(json.getAsJsonObject()) : EMPTY;
    }

    public boolean has(String name) {
        JsonElement value = json.get(name);
        return value != null && !value.isJsonNull();
    }

    /** Returns a text, a number or a boolean as text; empty text if there is none. */
    public String text(String name) {
        return json.get(name) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    public long number(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    public boolean flag(String name) {
        return text(name).equals("true");
    }

    public Optional<Instant> time(String name) {
        try {
            return has(name) ? Optional.of(Instant.parse(text(name))) : Optional.empty();
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    public Optional<Duration> duration(String name) {
        try {
            return has(name) ? Optional.of(Duration.parse(text(name))) : Optional.empty();
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Returns an object; an empty one if there is none. */
    public Answer object(String name) {
        JsonElement value = json.get(name);
        return value == null ? EMPTY : of(value);
    }

    /** Returns the objects of an array. */
    public List<Answer> list(String name) {
        List<Answer> list = new ArrayList<>();
        if (json.get(name) instanceof JsonArray array) {
            array.forEach(each -> list.add(of(each)));
        }
        return list;
    }

    /** Returns the texts of an array. */
    public List<String> texts(String name) {
        List<String> list = new ArrayList<>();
        if (json.get(name) instanceof JsonArray array) {
            for (JsonElement each : array) {
                list.add(each.isJsonPrimitive() ? each.getAsString() : each.toString());
            }
        }
        return list;
    }

    /** Returns the members of an object as texts. */
    public Map<String, String> map(String name) {
        Map<String, String> map = new LinkedHashMap<>();
        object(name)
                .json
                .asMap()
                .forEach(
                        (key, value) -> map.put(key, value.isJsonPrimitive() ? value.getAsString() : value.toString()));
        return map;
    }

    /** Returns the members of an object that are objects. */
    public Map<String, Answer> objects(String name) {
        Map<String, Answer> map = new LinkedHashMap<>();
        object(name).json.asMap().forEach((key, value) -> {
            if (value.isJsonObject()) {
                map.put(key, of(value));
            }
        });
        return map;
    }
}
