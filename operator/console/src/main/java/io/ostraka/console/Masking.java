package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
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
     * A difference between settings. A comparison takes parameters out before, but settings may change meanwhile. The
     * caller chooses the value in the document, so nothing is assumed about its form: the difference ends with the text,
     * or before that of another parameter. Differences of other fields in between are hidden with it.
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
        return hidden(
                difference.group(1),
                !difference.group(2).equals("not set"),
                !difference.group(3).equals("not set"));
    }

    private static String hidden(String field, boolean document, boolean present) {
        return field + " is " + (document ? "hidden" : "not set") + " in the document and "
                + (present ? "hidden" : "not set") + " in the namespace"
                + (document == present ? ", with different values" : "");
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
     * Compares settings with those of the namespace. The comparison does not contain parameters if their values are
     * hidden; they are compared here. The text of a difference quotes a value of the document, which may look like any
     * other text, so the text does not show where a value ends.
     *
     * @param document the settings to compare; this method changes it
     */
    List<String> differences(JsonObject document, Operations operations) {
        JsonObject present = present(operations);
        List<String> texts = replaceHidden(document, present);
        List<String> others = operations.diff(document.toString()); // refuses a document that is not valid
        if (active) {
            List<String> parameters = takeOut(document, present, true);
            try {
                others = operations.diff(document.toString());
                texts.addAll(parameters);
            } catch (RuntimeException e) {
                // the parameters of the namespace may not fit; the answer hides the values in the texts above
            }
        }
        texts.addAll(others);
        return texts;
    }

    /** Returns the preview of a restore; if the values of parameters are hidden, in the way of {@link #differences}. */
    CommandResult preview(
            Command.Apply command, CommandResult.Preview preview, CommandOptions options, Operations operations) {
        JsonObject document = JsonParser.parseString(command.document()).getAsJsonObject();
        List<String> effects = active ? takeOut(document, present(operations), false) : List.of();
        if (effects.isEmpty()) {
            return preview;
        }
        CommandResult others;
        try {
            others = operations.execute(new Command.Apply(document.toString()), options);
        } catch (RuntimeException e) {
            return preview; // the parameters of the namespace may not fit the other fields of the document
        }
        if (others instanceof CommandResult.Preview more) {
            more.effects().stream().filter(each -> each.contains(": ")).forEach(effects::add); // only differences
        }
        return new CommandResult.Preview(preview.version(), effects);
    }

    private static JsonObject present(Operations operations) {
        return JsonParser.parseString(operations.export()).getAsJsonObject();
    }

    /**
     * Replaces the parameters in settings by those of the namespace, so that they do not differ any more.
     *
     * @param document the settings; this method changes it
     * @param complete true if the document means all jobs, false if it means only the jobs that it contains
     * @return a text for each job whose parameters differed, without their values
     */
    private static List<String> takeOut(JsonObject document, JsonObject present, boolean complete) {
        JsonObject wanted = document.getAsJsonObject(OVERRIDES);
        JsonObject found = present.getAsJsonObject(OVERRIDES);
        Set<String> jobs = new TreeSet<>(wanted.keySet());
        if (complete) {
            jobs.addAll(found.keySet());
        }
        List<String> texts = new ArrayList<>();
        for (String job : jobs) {
            JsonObject left = wanted.has(job) ? wanted.getAsJsonObject(job) : new JsonObject();
            JsonObject right = found.has(job) ? found.getAsJsonObject(job) : new JsonObject();
            List<String> differing = FIELDS.stream()
                    .sorted()
                    .filter(field -> !Objects.equals(meaning(left.get(field)), meaning(right.get(field))))
                    .map(field -> hidden(field, left.has(field), right.has(field)))
                    .toList();
            FIELDS.forEach(left::remove);
            FIELDS.stream().filter(right::has).forEach(field -> left.add(field, right.get(field)));
            if (!left.isEmpty()) {
                wanted.add(job, left);
            }
            if (!differing.isEmpty()) {
                texts.add("job '" + job + "': " + String.join("; ", differing));
            }
        }
        return texts;
    }

    /** Returns null for a value that means the same as a missing one. */
    private static @Nullable JsonElement meaning(@Nullable JsonElement value) {
        return value instanceof JsonObject object && object.isEmpty() ? null : value;
    }

    /**
     * Prepares settings for a comparison: replaces hidden values by the values of the namespace, because a hidden value
     * is no value that could be compared.
     *
     * @param document the settings to compare; this method changes it
     * @param present the settings of the namespace
     * @return a text for each field that cannot be compared
     */
    private static List<String> replaceHidden(JsonObject document, JsonObject present) {
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
