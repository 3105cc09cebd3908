package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Checks answers against the OpenAPI document that callers get. */
final class DocumentedAnswers {
    private final JsonObject document =
            JsonParser.parseString(OpenApi.response().text()).getAsJsonObject();

    /** Checks the answer to a request for a route of the document. */
    void check(String method, String path, Response response) {
        JsonObject operation = operation(method, path);
        JsonObject responses = operation.getAsJsonObject("responses");
        String status = String.valueOf(response.status());
        JsonObject content = responses
                .getAsJsonObject(responses.has(status) ? status : "default")
                .getAsJsonObject("content");
        String type = response.headers().get("Content-Type");
        assertThat(content.keySet())
                .as("%s %s: %s", method, path, response.text())
                .contains(type);
        check(
                method + " " + path,
                JsonParser.parseString(response.text()),
                content.getAsJsonObject(type).getAsJsonObject("schema"));
    }

    /** Returns the methods of a path of the document, in lower case. */
    Set<String> methods(String path) {
        return document.getAsJsonObject("paths").getAsJsonObject(path).keySet();
    }

    /** Returns the statuses in the description of a route. */
    Set<String> statuses(String method, String path) {
        return operation(method, path).getAsJsonObject("responses").keySet();
    }

    private JsonObject operation(String method, String path) {
        List<String> segments = List.of(path.split("/"));
        for (String template : document.getAsJsonObject("paths").keySet()) {
            List<String> parts = List.of(template.split("/"));
            boolean matches = parts.size() == segments.size();
            for (int i = 0; matches && i < parts.size(); i++) {
                matches = parts.get(i).startsWith("{") || parts.get(i).equals(segments.get(i));
            }
            JsonObject operations = document.getAsJsonObject("paths").getAsJsonObject(template);
            if (matches && operations.has(method.toLowerCase(Locale.ROOT))) {
                return operations.getAsJsonObject(method.toLowerCase(Locale.ROOT));
            }
        }
        throw new AssertionError("the document has no " + method + " " + path);
    }

    private void check(String place, JsonElement value, JsonObject given) {
        JsonObject schema = given.has("$ref")
                ? document.getAsJsonObject("components")
                        .getAsJsonObject("schemas")
                        .getAsJsonObject(given.get("$ref").getAsString().replaceFirst(".*/", ""))
                : given;
        if (!schema.has("type")) {
            return;
        }
        switch (schema.get("type").getAsString()) {
            case "object" -> {
                assertThat(value.isJsonObject()).as(place).isTrue();
                members(place, value.getAsJsonObject(), schema);
            }
            case "array" -> {
                assertThat(value.isJsonArray()).as(place).isTrue();
                value.getAsJsonArray()
                        .forEach(element -> check(place + "[]", element, schema.getAsJsonObject("items")));
            }
            case "string" -> text(place, value, schema);
            case "boolean" ->
                assertThat(value.getAsJsonPrimitive().isBoolean()).as(place).isTrue();
            default ->
                assertThat(value.getAsJsonPrimitive().isNumber()).as(place).isTrue();
        }
    }

    private void members(String place, JsonObject value, JsonObject schema) {
        JsonObject properties = schema.has("properties") ? schema.getAsJsonObject("properties") : new JsonObject();
        if (schema.has("required")) {
            schema.getAsJsonArray("required").forEach(name -> assertThat(value.has(name.getAsString()))
                    .as(place + " has " + name)
                    .isTrue());
        }
        value.asMap().forEach((name, member) -> {
            if (properties.has(name)) {
                check(place + "." + name, member, properties.getAsJsonObject(name));
            } else if (schema.get("additionalProperties") instanceof JsonObject additional) {
                check(place + "." + name, member, additional);
            } else {
                assertThat(schema.get("additionalProperties"))
                        .as(place + " may have " + name)
                        .isNotEqualTo(new JsonPrimitive(false));
            }
        });
    }

    private static void text(String place, JsonElement value, JsonObject schema) {
        assertThat(value.isJsonPrimitive() && value.getAsJsonPrimitive().isString())
                .as(place + " is a text, not " + value)
                .isTrue();
        if (schema.has("enum")) {
            assertThat(schema.getAsJsonArray("enum")).as(place).contains(value);
        } else if (schema.has("format")) {
            String text = value.getAsString();
            assertThat(
                            schema.get("format").getAsString().equals("duration")
                                    ? Duration.parse(text)
                                    : Instant.parse(text))
                    .as(place)
                    .isNotNull();
        }
    }
}
