package io.ostraka.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.JobHealth;
import io.ostraka.api.operations.Change;
import io.ostraka.cli.terminal.Json;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answers;
import io.ostraka.core.tree.ValueJson;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The fields of a job's configuration: definition, override and value in force. */
final class FieldTable {
    private FieldTable() {}

    /** Prints the fields that differ from their defaults; the wide output has all fields. */
    static void print(Invocation call, Answers.Job details, Times times) {
        List<Answers.Field> all = details.fields();
        boolean wide = call.output().format() == Output.Format.WIDE;
        List<Answers.Field> shown =
                all.stream().filter(each -> wide || differs(each)).toList();
        if (shown.isEmpty()) {
            return;
        }
        Table table = Table.of("FIELD", "DEFINITION", "OVERRIDE", "IN FORCE", "BY", "REASON", "SINCE", "UNTIL");
        boolean refused = details.summary().health().stream()
                .anyMatch(each -> each.reason().kind() == JobHealth.Kind.CONFIGURATION_REFUSED);
        for (Answers.Field field : shown) {
            Change change = field.change();
            String effective = shown(field, field.effective());
            String end = change == null ? "" : times.absolute(change.until());
            table.add(
                    field.field(),
                    shown(field, field.defined()),
                    !field.isOverridden() ? "" : refused ? "(refused)" : effective,
                    effective,
                    change == null ? "" : change.by(),
                    change == null ? "" : change.reason(),
                    change == null ? "" : times.absolute(change.at()),
                    end.isEmpty() && field.isOverridden() ? "taken back" : end);
        }
        call.terminal().out().println();
        call.terminal()
                .out()
                .println(
                        wide
                                ? "Fields of the configuration:"
                                : "Fields that differ from their defaults ('-o wide' shows all " + all.size() + "):");
        call.output().table(table);
    }

    private static String shown(Answers.Field field, @Nullable JsonElement value) {
        if (value == null || value.isJsonNull()) {
            return "(no value)";
        }
        if (field.field().equals("schedule") && value instanceof JsonObject schedule) {
            return schedule(schedule);
        }
        String text = text(value);
        return text.isEmpty() ? Json.line(value) : text;
    }

    /** Returns a schedule in words, such as {@code cron '0 0 2 * * ?' in Europe/Berlin}. */
    private static String schedule(JsonObject schedule) {
        try {
            return JobConfiguration.field("schedule")
                    .map(field -> ValueJson.read(field, schedule))
                    .map(Object::toString)
                    .orElseGet(() -> Json.line(schedule));
        } catch (RuntimeException e) { // the server may have a later version
            return Json.line(schedule);
        }
    }

    /** Returns a text, a number or a boolean as text; empty text if there is none. */
    static String text(@Nullable JsonElement value) {
        return value instanceof JsonPrimitive primitive ? primitive.getAsString() : "";
    }

    /** Returns the value in effect of a field of a job, as text; empty if there is none. */
    static String effective(Answers.Job details, String name) {
        return field(details, name).map(each -> text(each.effective())).orElse("");
    }

    static Optional<Answers.Field> field(Answers.Job details, String name) {
        return details.fields().stream()
                .filter(each -> each.field().equals(name))
                .findFirst();
    }

    /**
     * Returns whether a field is overridden or differs from its default. The name of the job is never shown, because it
     * has no default and the user already knows it.
     */
    private static boolean differs(Answers.Field field) {
        String name = field.field();
        JsonElement defined = field.defined() == null ? JsonNull.INSTANCE : field.defined();
        JsonElement unset = JobConfiguration.field(name).map(FieldTable::unset).orElse(JsonNull.INSTANCE);
        return field.isOverridden() || (!name.equals("jobName") && !defined.equals(unset));
    }

    private static JsonElement unset(JobField<?> field) {
        return ValueJson.write(field, field.unset());
    }
}
