package io.ostraka.cli;

import com.google.gson.JsonObject;
import io.ostraka.cli.terminal.Palette;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a check.
 *
 * @param check name of the check
 * @param level result
 * @param what description of the finding
 * @param why why it matters; empty text if there is nothing to mend
 * @param todo recommended action; empty text if there is nothing to mend
 */
record Finding(String check, Level level, String what, String why, String todo) {
    /** Results, worst first. */
    enum Level {
        /** The user must correct this. */
        ERROR,
        /** The user should correct this. */
        WARNING,
        /** The check was not possible. */
        SKIPPED,
        /** There is nothing to correct. */
        OK
    }

    static Finding ok(String check, String what) {
        return new Finding(check, Level.OK, what, "", "");
    }

    static Finding skipped(String check, String what, String todo) {
        return new Finding(check, Level.SKIPPED, what, "", todo);
    }

    /** Returns the lines as they are printed, with colours. */
    List<String> lines(Palette palette) {
        String first = "%-8s %s: %s".formatted(level, check, what);
        List<String> lines = new ArrayList<>();
        lines.add(level == Level.ERROR ? palette.bad(first) : palette.plain(first));
        if (!why.isEmpty()) {
            lines.add(palette.plain("           why: " + why));
        }
        if (!todo.isEmpty()) {
            lines.add(palette.plain("           do:  " + todo));
        }
        return lines;
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        json.addProperty("check", check);
        json.addProperty("level", level.name());
        json.addProperty("what", what);
        json.addProperty("why", why);
        json.addProperty("todo", todo);
        return json;
    }
}
