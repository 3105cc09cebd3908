package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operation;
import io.ostraka.core.tree.ValueJson;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The body of a command: the components of its type in {@link Command}, except for the job in the path, and the members
 * {@code reason} and {@code requestId}.
 *
 * @param command the command
 * @param options options with a request id
 */
record CommandBody(Command command, CommandOptions options) {
    private static final String REASON = "reason";
    private static final String REQUEST_ID = "requestId";
    private static final String JOB = "job";

    /** Values of components that the body leaves out. */
    private static final Map<Operation, Map<String, JsonElement>> DEFAULTS = Map.of(
            Operation.RESUME, Map.of("catchUp", new JsonPrimitive(true)),
            Operation.REMOVE_OVERRIDE, Map.of("fields", new JsonArray()),
            Operation.SILENCE_ALARMS, Map.of("kinds", new JsonArray()),
            Operation.TRIGGER,
                    Map.of(
                            "items", new JsonArray(),
                            "parameters", new JsonObject(),
                            "delay", new JsonPrimitive("PT0S")),
            Operation.RERUN_ITEMS, Map.of("items", new JsonArray(), "parameters", new JsonObject()),
            Operation.BACKFILL,
                    Map.of(
                            "parameters", new JsonObject(),
                            "parallel", new JsonPrimitive(1),
                            "maxFailures", new JsonPrimitive(1)));

    /** Returns the values of components that the body of a command may leave out. */
    static Map<String, JsonElement> defaults(Operation operation) {
        return DEFAULTS.getOrDefault(operation, Map.of());
    }

    /** Reads the body. */
    static CommandBody read(Request request, Operation operation, @Nullable String job, boolean dryRun, String actor) {
        JsonObject json = Body.object(request);
        String reason = text(json, REASON).orElse("");
        String requestId =
                text(json, REQUEST_ID).orElseGet(() -> UUID.randomUUID().toString());
        json.remove(REASON);
        json.remove(REQUEST_ID);
        Masking.requireValues(json);
        CommandOptions options = new CommandOptions(actor, reason, requestId, Version.expected(request), dryRun);
        defaults(operation).forEach((name, value) -> {
            if (!json.has(name)) {
                json.add(name, value);
            }
        });
        try {
            return new CommandBody(command(operation, job, json), options);
        } catch (JsonParseException e) {
            throw new Problem(Problem.Code.INVALID, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            Throwable cause = e.getCause();
            if (e.getClass() == RuntimeException.class && cause != null) {
                // Gson wraps the exception with which a record refuses its components
                throw new Problem(Problem.Code.INVALID, String.valueOf(cause.getMessage()));
            }
            throw e;
        }
    }

    private static Command command(Operation operation, @Nullable String job, JsonObject json) {
        Class<? extends Command> type = operation.command();
        if (type == null) {
            throw new IllegalStateException(operation + " is a view");
        }
        requireKnown(json, type);
        if (job != null) {
            if (json.has(JOB)) {
                throw new Problem(Problem.Code.INVALID, "job is in the path; leave it out of the body")
                        .with("field", JOB);
            }
            json.addProperty(JOB, job);
        }
        if (operation == Operation.SET_OVERRIDE) {
            return override(json);
        } else if (operation == Operation.APPLY && json.get("document") instanceof JsonPrimitive document) {
            Masking.requireValues(Body.object("document", document.getAsString()));
        } else if (operation == Operation.APPLY && json.get("document") instanceof JsonObject document) {
            json.addProperty("document", document.toString());
        }
        return (Command) ValueJson.read(json, type.asSubclass(Record.class));
    }

    /** Refuses members that are not components of the command, because a misspelt one would be lost. */
    private static void requireKnown(JsonObject json, Class<? extends Command> type) {
        Set<String> accepted = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> unknown = new TreeSet<>(json.keySet());
        unknown.removeAll(accepted);
        accepted.remove(JOB);
        accepted.addAll(List.of(REASON, REQUEST_ID));
        unknown.stream().findFirst().ifPresent(name -> {
            throw new Problem(Problem.Code.INVALID, "'" + name + "' is not known; accepted: " + accepted)
                    .with("field", name);
        });
    }

    /** Reads an override, whose values have the types of the fields. */
    private static Command override(JsonObject json) {
        if (!(json.get("fields") instanceof JsonObject fields)) {
            throw Parameters.invalid("fields", String.valueOf(json.get("fields")), "an object of values by field name");
        }
        Map<String, @Nullable Object> values = new HashMap<>();
        fields.asMap().forEach((name, value) -> values.put(name, ValueJson.read(field(name), value)));
        JsonObject rest = json.deepCopy();
        rest.remove("fields");
        OverrideTarget target = ValueJson.read(rest, OverrideTarget.class);
        return new Command.SetOverride(target.job(), values, target.until());
    }

    private static JobField<?> field(String name) {
        return JobConfiguration.field(name)
                .filter(JobField::isOverridable)
                .orElseThrow(() -> Parameters.invalid(
                        "fields",
                        name,
                        "names among "
                                + JobConfiguration.fields().stream()
                                        .filter(JobField::isOverridable)
                                        .map(JobField::name)
                                        .collect(Collectors.toCollection(TreeSet::new))));
    }

    /**
     * The target and the end of an override, without its fields.
     *
     * @param job name of the job
     * @param until end of the override; null for no end
     */
    public record OverrideTarget(String job, @Nullable Instant until) {}

    private static Optional<String> text(JsonObject json, String name) {
        JsonElement value = json.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof JsonPrimitive primitive && primitive.isString())) {
            throw Parameters.invalid(name, value.toString(), "a text");
        }
        if (value.getAsString().chars().anyMatch(Character::isISOControl)) { // it could forge lines of a log
            throw Parameters.invalid(name, value.getAsString(), "a text without control characters");
        }
        return Optional.of(value.getAsString());
    }
}
