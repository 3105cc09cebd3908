package io.ostraka.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figures as Markdown: a row each, by entrant, with what ElasticJob's are to this library's; and which bounds are reached. */
final class Table {
    private final List<Entrant> entrants;
    private final Results results;

    Table(List<Entrant> entrants, Results results) {
        this.entrants = entrants;
        this.results = results;
    }

    void print(PrintStream out) {
        List<List<String>> lines = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("medians"));
        entrants.forEach(entrant -> head.add(entrant.text()));
        head.add("safe : Ostraka");
        lines.add(head);
        for (String row : results.rows()) {
            List<String> line = new ArrayList<>(List.of(row));
            entrants.forEach(entrant -> line.add(number(results.of(entrant, row))));
            double own = results.of(Entrant.OSTRAKA, row);
            line.add(own == 0 ? "" : number(results.of(Entrant.SAFE, row) / own));
            lines.add(line);
        }
        print(out, lines);
    }

    static void printBounds(PrintStream out, List<Bound> bounds) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("what has to be reached", "measured", "bound", "reached"));
        for (Bound bound : bounds) {
            lines.add(List.of(
                    bound.text(),
                    number(bound.value()),
                    bound.limit(),
                    switch (bound.verdict()) {
                        case REACHED -> "yes";
                        case MISSED -> "NO";
                        case NOT_MEASURED -> "not measured";
                    }));
        }
        print(out, lines);
    }

    private static void print(PrintStream out, List<List<String>> lines) {
        int columns = lines.get(0).size();
        int[] widths = new int[columns];
        for (List<String> line : lines) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], line.get(column).length());
            }
        }
        out.println();
        for (int number = 0; number < lines.size(); number++) {
            StringBuilder text = new StringBuilder("|");
            StringBuilder rule = new StringBuilder("|");
            for (int column = 0; column < columns; column++) {
                text.append(String.format(
                        " %" + (column == 0 ? "-" : "") + widths[column] + "s |",
                        lines.get(number).get(column)));
                rule.append(column == 0 ? " " : "-")
                        .append("-".repeat(widths[column]))
                        .append(column == 0 ? " |" : ":|");
            }
            out.println(text);
            if (number == 0) {
                out.println(rule);
            }
        }
    }

    /** With as many digits as it is worth; nothing for what was not measured. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "";
        }
        String format = Math.abs(value) >= 100 || value == Math.rint(value) ? "%.0f" : value < 1 ? "%.2f" : "%.1f";
        return String.format(Locale.ROOT, format, value);
    }
}
