package io.ostraka.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.cli.terminal.Json;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.core.tree.ValueJson;
import java.util.List;
import java.util.Optional;

/** The fields of a job's configuration: definition, override and value in force. */
final class FieldTable {
    private FieldTable() {}

    /** Prints the fields that differ from their defaults; the wide output has all fields. */
    static void print(Invocation call, Answer details, Times times) {
        List<Answer> all = details.list("fields");
        boolean wide = call.output().format() == Output.Format.WIDE;
        List<Answer> shown = all.stream().filter(each -> wide || differs(each)).toList();
        if (shown.isEmpty()) {
            return;
        }
        Table table = Table.of("FIELD", "DEFINITION", "OVERRIDE", "IN FORCE", "BY", "REASON", "SINCE", "UNTIL");
        boolean refused = details.object("summary").list("health").stream()
                .anyMatch(each -> each.object("reason").text("kind").equals("CONFIGURATION_REFUSED"));
        for (Answer field : shown) {
            Answer change = field.object("change");
            boolean overridden = field.flag("overridden");
            String effective = shown(field, "effective");
            table.add(
                    field.text("field"),
                    shown(field, "defined"),
                    !overridden ? "" : refused ? "(refused)" : effective,
                    effective,
                    change.text("by"),
                    change.text("reason"),
                    change.time("at").map(times::absolute).orElse(""),
                    change.time("until").map(times::absolute).orElse(overridden ? "taken back" : ""));
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

    private static String shown(Answer field, String member) {
        if (!field.has(member)) {
            return "(no value)";
        }
        if (field.text("field").equals("schedule")) {
            return Terminal.printable(Lists.schedule(field.object(member)));
        }
        String text = field.text(member);
        return Terminal.printable(text.isEmpty() ? Json.line(field.json().get(member)) : text);
    }

    /** Returns the value in effect of a field of a job, as text; empty if there is none. */
    static String effective(Answer details, String name) {
        return field(details, name).map(each -> each.text("effective")).orElse("");
    }

    static Optional<Answer> field(Answer details, String name) {
        return details.list("fields").stream()
                .filter(each -> each.text("field").equals(name))
                .findFirst();
    }

    /**
     * Returns whether a field is overridden or differs from its default. The name of the job is never shown, because it
     * has no default and the user already knows it.
     */
    private static boolean differs(Answer field) {
        String name = field.text("field");
        JsonElement unset = JobConfiguration.field(name).map(FieldTable::unset).orElse(JsonNull.INSTANCE);
        return field.flag("overridden")
                || (!name.equals("jobName") && !value(field, "defined").equals(unset));
    }

    private static JsonElement value(Answer field, String member) {
        JsonElement value = field.json().get(member);
        return value == null ? JsonNull.INSTANCE : value;
    }

    private static JsonElement unset(JobField<?> field) {
        return ValueJson.write(field, field.unset());
    }
}
