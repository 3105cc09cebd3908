package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Hides the values of parameters, which may be secret, in every answer of the API. The names stay visible.
 *
 * @param active true to hide the values
 */
record Masking(boolean active) {
    private static final JsonElement HIDDEN = new JsonPrimitive("***");
    private static final JsonElement EMPTY = new JsonPrimitive("");
    private static final Set<String> FIELDS = Set.of("jobParameter", "shardingItemParameters");
    private static final Set<String> VALUES = Set.of("defined", "effective");
    private static final String PARAMETERS = "parameters";
    private static final String OVERRIDES = "overrides";

    private static final String IS = "\\b(" + String.join("|", FIELDS) + ") is ";
    /**
     * A difference between settings, as a comparison or the preview of a restore describes it. The caller chooses the value
     * in the document, so nothing is assumed about its form: the difference ends with the text, or before that of another
     * parameter. Differences of other fields in between are hidden with it.
     */
    private static final Pattern DIFFERENCE =
            Pattern.compile(IS + "(.*?) in the document and (.*?) in the namespace(?=$|; " + IS + ")", Pattern.DOTALL);

    /** Returns an answer without the values of parameters. */
    Response of(Response response) {
        return active && "application/json".equals(response.headers().get("Content-Type"))
                ? response.with(masked(JsonParser.parseString(response.text())))
                : response;
    }

    private static JsonElement masked(JsonElement json) {
        if (json instanceof JsonPrimitive text && text.isString()) {
            return new JsonPrimitive(DIFFERENCE.matcher(text.getAsString()).replaceAll(Masking::hidden));
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

    /** Describes a difference without its values. */
    private static String hidden(MatchResult difference) {
        String document = difference.group(2).equals("not set") ? "not set" : "hidden";
        String present = difference.group(3).equals("not set") ? "not set" : "hidden";
        return difference.group(1) + " is " + document + " in the document and " + present + " in the namespace"
                + (document.equals(present) ? ", with different values" : "");
    }

    /** Returns whether a member has the value of a parameter: by its own name, or as the value of a field. */
    private static boolean isParameter(JsonObject json, String member) {
        return FIELDS.contains(member) && !isChange(json.get(member))
                || member.equals(PARAMETERS)
                || VALUES.contains(member)
                        && json.get("field") instanceof JsonPrimitive field
                        && FIELDS.contains(field.getAsString());
    }

    /**
     * Returns whether a value is the author and the time of a change, which settings have by the name of the changed
     * field. Item parameters have numbers as names, so they never look like that.
     */
    private static boolean isChange(JsonElement value) {
        return value instanceof JsonObject change && change.has("by") && change.has("at");
    }

    private static JsonElement hidden(JsonElement value) {
        if (value.isJsonNull() || value.equals(EMPTY)) { // so that a reader can tell it from a value
            return value;
        } else if (!value.isJsonObject()) {
            return HIDDEN;
        }
        JsonObject names = new JsonObject();
        value.getAsJsonObject().keySet().forEach(name -> names.add(name, HIDDEN));
        return names;
    }

    private static boolean isHidden(@Nullable JsonElement value) {
        return HIDDEN.equals(value)
                || value instanceof JsonObject names && names.asMap().containsValue(HIDDEN);
    }

    /**
     * Refuses a body with hidden values, such as those of settings that were exported with hidden values, because a
     * command would replace the values.
     *
     * @throws Problem if a value is hidden; it names all such members
     */
    static void requireValues(JsonObject body) {
        List<String> hidden = new ArrayList<>();
        collect(body, "", hidden);
        if (!hidden.isEmpty()) {
            throw new Problem(
                            Problem.Code.INVALID,
                            String.join(", ", hidden) + (hidden.size() == 1 ? " is" : " are")
                                    + " hidden (***), because a"
                                    + " console with mask-parameters has shown it; replace it by its value")
                    .with("field", hidden.get(0).replaceFirst("\\..*", ""));
        }
    }

    private static void collect(JsonObject json, String path, List<String> hidden) {
        json.asMap().forEach((name, value) -> {
            String place = path.isEmpty() ? name : path + "." + name;
            if ((FIELDS.contains(name) || name.equals(PARAMETERS)) && isHidden(value)) {
                hidden.add(place);
            } else if (value instanceof JsonObject object) {
                collect(object, place, hidden);
            }
        });
    }

    /**
     * Prepares settings for a comparison: replaces hidden values by the values of the namespace, because a hidden value
     * is no value that could be compared.
     *
     * @param document the settings to compare; this method changes it
     * @param present the settings of the namespace
     * @return a text for each field that cannot be compared
     */
    static List<String> replaceHidden(JsonObject document, JsonObject present) {
        List<String> texts = new ArrayList<>();
        if (document.get(OVERRIDES) instanceof JsonObject overrides
                && present.get(OVERRIDES) instanceof JsonObject presentOverrides) {
            overrides.asMap().forEach((job, override) -> {
                if (override instanceof JsonObject fields
                        && presentOverrides.get(job) instanceof JsonObject presentFields) {
                    FIELDS.stream()
                            .filter(field -> isHidden(fields.get(field)) && presentFields.has(field))
                            .sorted()
                            .forEach(field -> {
                                fields.add(field, presentFields.get(field));
                                texts.add("job '" + job + "': " + field
                                        + " is not compared, because its value in the document is hidden (***)");
                            });
                }
            });
        }
        return texts;
    }
}
