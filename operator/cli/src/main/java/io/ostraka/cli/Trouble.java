package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * A situation that needs a person, with the command that mends it.
 *
 * @param job name of the job; empty text for the namespace
 * @param level urgency
 * @param topic short name of the situation. A job has at most one situation of a topic, so two sources do not report
 *     the same one
 * @param what description in one sentence
 * @param details further lines
 * @param remedies actions that mend it
 */
record Trouble(String job, Level level, String topic, String what, List<String> details, List<Remedy> remedies) {
    /** Urgencies, most urgent first. */
    enum Level {
        /** Work has stopped, or will stop. */
        ERROR,
        /** Work continues, but differs from the definition; or the situation may become an error. */
        WARNING,
        /** The user may want to know this. */
        NOTE
    }

    /**
     * An action that mends a situation.
     *
     * @param text description of the action; it may also describe an action outside of this program
     * @param command command line; empty text if there is none
     */
    record Remedy(String text, String command) {}

    Trouble {
        details = details.stream().filter(each -> !each.isBlank()).toList();
        remedies = List.copyOf(remedies);
    }

    /** Returns the lines for people. */
    List<String> lines(Palette palette) {
        List<String> lines = new ArrayList<>();
        String subject = job.isEmpty() ? "" : job + ": ";
        String mark = level == Level.NOTE ? "- " : "! ";
        String first =
                mark + Terminal.printable(subject + Times.inSeconds(what)).replace('\n', ' ');
        lines.add(level == Level.ERROR ? palette.bad(first) : first);
        details.forEach(each ->
                lines.add("    " + Terminal.printable(Times.inSeconds(each)).replace("\n", "\n    ")));
        for (Remedy each : remedies) {
            String text = Terminal.printable(each.text());
            lines.add(
                    each.command().isEmpty()
                            ? "    > " + text
                            : "    > " + text + ":  " + palette.command(Terminal.printable(each.command())));
        }
        return lines;
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        json.addProperty("job", job);
        json.addProperty("level", level.name());
        json.addProperty("topic", topic);
        json.addProperty("what", what);
        JsonArray lines = new JsonArray();
        details.forEach(lines::add);
        json.add("details", lines);
        JsonArray actions = new JsonArray();
        for (Remedy each : remedies) {
            JsonObject action = new JsonObject();
            action.addProperty("text", each.text());
            action.addProperty("command", each.command());
            actions.add(action);
        }
        json.add("remedies", actions);
        return json;
    }
}
