package io.ostraka.cli.terminal;

import com.google.gson.JsonElement;
import java.util.List;

/**
 * Prints data in the format that the user has chosen.
 *
 * @param terminal streams
 * @param format the format
 * @param oneLine true to print each JSON document in one line
 */
public record Output(Terminal terminal, Format format, boolean oneLine) {
    /** Formats of the output. */
    public enum Format {
        /** Text for people, cut to the width of the terminal. */
        TABLE,
        /** Text for people with more columns, not cut to the width of the terminal. */
        WIDE,
        /** The JSON of the API. */
        JSON,
        /** The JSON of the API as YAML. */
        YAML,
        /** Only names, one in a line. */
        NAME
    }

    public boolean isForPeople() {
        return format == Format.TABLE || format == Format.WIDE;
    }

    public Palette palette() {
        return new Palette(terminal.colours());
    }

    /** Prints a list. */
    public void list(JsonElement json, Table table) {
        switch (format) {
            case TABLE, WIDE -> table(table);
            case NAME -> table.rows().forEach(row -> terminal.print(row.get(0)));
            default -> document(json);
        }
    }

    /** Prints one object: its lines for people, or its name. */
    public void object(JsonElement json, String name, List<String> lines) {
        switch (format) {
            case TABLE, WIDE -> lines.forEach(terminal::print);
            case NAME -> terminal.print(name);
            default -> document(json);
        }
    }

    /** Prints a JSON document. */
    public void document(JsonElement json) {
        switch (format) {
            case YAML -> terminal.out().print((oneLine ? "---\n" : "") + Yaml.of(json));
            default -> terminal.out().println(oneLine ? Json.line(json) : Json.pretty(json));
        }
    }

    /** Prints a table. If the table was cut, prints a message about it. */
    public void table(Table table) {
        if (table.rows().isEmpty()) {
            terminal.say("none");
            return;
        }
        Table.Lines lines = table.lines(terminal.width(), format == Format.WIDE, palette());
        lines.lines().forEach(terminal.out()::println);
        if (lines.cut()) {
            terminal.out().flush();
            terminal.say(
                    "(cut to the terminal's width of " + terminal.width() + " columns; '-o wide' shows everything)");
        }
    }
}
