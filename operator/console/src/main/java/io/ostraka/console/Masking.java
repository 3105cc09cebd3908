package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Hides the values of parameters, which may be secret, in every answer of the API. The names stay visible.
 *
 * @param active true to hide the values
 */
record Masking(boolean active) {
    private static final JsonElement HIDDEN = new JsonPrimitive("***");
    private static final Set<String> FIELDS = Set.of("jobParameter", "shardingItemParameters");
    private static final Set<String> VALUES = Set.of("defined", "effective");
    private static final String PARAMETERS = "parameters";

    private static final String TEXT = "\"(?:[^\"\\\\]|\\\\.)*+\"";
    private static final String VALUE = "(?:not set|" + TEXT + "|\\{(?:[^{}\"]|" + TEXT + ")*+\\})";
    /** A difference between settings, as a comparison or the preview of a restore describes it. */
    private static final Pattern DIFFERENCE = Pattern.compile("\\b(" + String.join("|", FIELDS) + ") is " + VALUE
            + " in the document and " + VALUE + " in the namespace");

    /** Returns an answer without the values of parameters. */
    Response of(Response response) {
        return active && "application/json".equals(response.headers().get("Content-Type"))
                ? response.with(masked(JsonParser.parseString(response.text())))
                : response;
    }

    private static JsonElement masked(JsonElement json) {
        if (json instanceof JsonPrimitive text && text.isString()) {
            return new JsonPrimitive(DIFFERENCE
                    .matcher(text.getAsString())
                    .replaceAll("$1 is *** in the document and *** in the namespace"));
        } else if (json instanceof JsonArray array) {
            JsonArray all = new JsonArray();
            array.forEach(each -> all.add(masked(each)));
            return all;
        } else if (json instanceof JsonObject object) {
            JsonObject all = new JsonObject();
            for (Map.Entry<String, JsonElement> each : object.entrySet()) {
                all.add(
                        each.getKey(),
                        isParameter(object, each.getKey()) ? hidden(each.getValue()) : masked(each.getValue()));
            }
            return all;
        }
        return json;
    }

    /** Returns whether a member has the value of a parameter: by its own name, or as the value of a field. */
    private static boolean isParameter(JsonObject json, String member) {
        return FIELDS.contains(member)
                || member.equals(PARAMETERS)
                || VALUES.contains(member)
                        && json.get("field") instanceof JsonPrimitive field
                        && FIELDS.contains(field.getAsString());
    }

    private static JsonElement hidden(JsonElement value) {
        if (value.isJsonNull()) {
            return value;
        } else if (!value.isJsonObject()) {
            return HIDDEN;
        }
        JsonObject names = new JsonObject();
        value.getAsJsonObject().keySet().forEach(name -> names.add(name, HIDDEN));
        return names;
    }

    /**
     * Refuses settings that were exported with hidden values, because a restore would replace the values.
     *
     * @throws Problem if a value is hidden
     */
    static void requireValues(JsonElement document) {
        if (document instanceof JsonObject object) {
            object.entrySet().forEach(each -> {
                JsonElement value = each.getValue();
                boolean isHidden = FIELDS.contains(each.getKey())
                        && (value.equals(HIDDEN)
                                || value instanceof JsonObject names
                                        && names.asMap().containsValue(HIDDEN));
                if (isHidden) {
                    throw new Problem(
                                    Problem.Code.INVALID,
                                    each.getKey() + " of the document is hidden, because a console with mask-parameters"
                                            + " exported it; replace it by its value")
                            .with("field", "document");
                }
                requireValues(value);
            });
        }
    }
}
