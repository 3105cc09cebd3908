package io.ostraka.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A table of bounds, or of figures by entrant with the ratios of ElasticJob's figures to this library's.
 *
 * @param head headings of the columns
 * @param lines lines with one cell for each column
 */
record Table(List<String> head, List<List<String>> lines) {
    /**
     * Returns one table, by size, for each scenario that measures this library alone, and one table, by entrant, for
     * all other scenarios.
     */
    static List<Table> ofAll(List<Outcome> outcomes) {
        List<Table> tables = new ArrayList<>();
        List<Outcome> others = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            List<Plot> plots = Plot.of(outcome.results());
            int drawn = plots.stream().mapToInt(plot -> plot.sizes().size()).sum();
            if (drawn == outcome.results().rows().size()
                    && entrants(List.of(outcome)).size() == 1) {
                tables.add(ofSizes(plots));
            } else {
                others.add(outcome);
            }
        }
        if (!others.isEmpty()) {
            tables.add(0, byEntrant(others));
        }
        return tables;
    }

    private static Table ofSizes(List<Plot> plots) {
        List<String> head = new ArrayList<>(List.of(plots.get(0).by()));
        plots.get(0).sizes().forEach(size -> head.add(number(size)));
        List<List<String>> lines = new ArrayList<>();
        for (Plot plot : plots) {
            List<String> line = new ArrayList<>(List.of(plot.title()));
            plot.lines().values().iterator().next().forEach(value -> line.add(number(value)));
            lines.add(line);
        }
        return new Table(head, lines);
    }

    private static List<Entrant> entrants(List<Outcome> outcomes) {
        return Stream.of(Entrant.values())
                .filter(entrant ->
                        outcomes.stream().anyMatch(outcome -> outcome.results().has(entrant)))
                .toList();
    }

    private static Table byEntrant(List<Outcome> outcomes) {
        List<Entrant> entrants = entrants(outcomes);
        boolean compared = entrants.containsAll(List.of(Entrant.OSTRAKA, Entrant.SAFE));
        List<String> head = new ArrayList<>(List.of("medians"));
        entrants.forEach(entrant -> head.add(entrant.text()));
        if (compared) {
            head.add("safe : Ostraka");
        }
        List<List<String>> lines = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            Results results = outcome.results();
            for (String row : results.rows()) {
                List<String> line = new ArrayList<>(List.of(row));
                entrants.forEach(entrant -> line.add(number(results.of(entrant, row))));
                if (compared) {
                    double own = results.of(Entrant.OSTRAKA, row);
                    line.add(own == 0 ? "" : number(results.of(Entrant.SAFE, row) / own));
                }
                lines.add(line);
            }
        }
        return new Table(head, lines);
    }

    static Table ofBounds(List<Bound> bounds) {
        List<List<String>> lines = new ArrayList<>();
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
        return new Table(List.of("what has to be reached", "measured", "bound", "reached"), lines);
    }

    /** Returns the table as Markdown with aligned columns. */
    List<String> markdown() {
        int[] widths = new int[head.size()];
        Stream.concat(Stream.of(head), lines.stream()).forEach(line -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], line.get(column).length());
            }
        });
        StringBuilder rule = new StringBuilder("|");
        for (int column = 0; column < widths.length; column++) {
            rule.append(column == 0 ? " " : "-")
                    .append("-".repeat(widths[column]))
                    .append(column == 0 ? " |" : ":|");
        }
        List<String> markdown = new ArrayList<>(List.of(text(head, widths), rule.toString()));
        lines.forEach(line -> markdown.add(text(line, widths)));
        return markdown;
    }

    private static String text(List<String> line, int[] widths) {
        StringBuilder text = new StringBuilder("|");
        for (int column = 0; column < widths.length; column++) {
            text.append(String.format(" %" + (column == 0 ? "-" : "") + widths[column] + "s |", line.get(column)));
        }
        return text.toString();
    }

    /** Returns a number with its significant digits. Returns an empty string if it was not measured. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "";
        }
        String format = Math.abs(value) >= 100 || value == Math.rint(value) ? "%.0f" : value < 1 ? "%.2f" : "%.1f";
        return String.format(Locale.ROOT, format, value);
    }
}
