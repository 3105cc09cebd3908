package io.ostraka.bench.compare;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints findings as a table and as JSON. */
final class FindingsTable {
    private final List<List<Findings>> all;

    /**
     * Creates a table.
     *
     * @param all findings of all entrants for each scenario, with this library first
     */
    FindingsTable(List<List<Findings>> all) {
        this.all = all;
    }

    /** Prints the median and, in brackets, the largest value of each measure of each entrant. */
    void print(PrintStream out) {
        List<List<String>> rows = new ArrayList<>();
        for (List<Findings> alike : all) {
            List<String> head = new ArrayList<>();
            int tries = alike.get(0).measures().get(0).values().size();
            head.add(alike.get(0).scenario() + ", " + tries + (tries == 1 ? " try" : " tries"));
            head.add("at most");
            alike.forEach(findings -> head.add(findings.entrant()));
            rows.add(head);
            for (int i = 0; i < alike.get(0).measures().size(); i++) {
                Measure own = alike.get(0).measures().get(i);
                List<String> row = new ArrayList<>(List.of("  " + own.name(), own.promise()));
                for (Findings findings : alike) {
                    Measure measure = findings.measures().get(i);
                    row.add(measure.figure() + (measure.holds() ? "" : " !"));
                }
                rows.add(row);
            }
        }
        out.println();
        rows.forEach(row -> {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                line.append(String.format(Locale.ROOT, "%-" + width(rows, column) + "s  ", row.get(column)));
            }
            out.println(line.toString().stripTrailing());
        });
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1);
    }

    /** Returns all values as JSON. The value of an event that never happened is null. */
    String json() {
        JsonArray scenarios = new JsonArray();
        for (List<Findings> alike : all) {
            for (Findings findings : alike) {
                JsonObject json = new JsonObject();
                json.addProperty("scenario", findings.scenario());
                json.addProperty("entrant", findings.entrant());
                json.addProperty("holds", findings.hold());
                JsonObject measures = new JsonObject();
                for (Measure measure : findings.measures()) {
                    JsonArray values = new JsonArray();
                    measure.values().forEach(value -> values.add(value.isInfinite() ? null : value));
                    measures.add(measure.name(), values);
                }
                json.add("measures", measures);
                scenarios.add(json);
            }
        }
        return new Gson().toJson(scenarios);
    }

    /** Returns whether this library has met all its bounds. */
    boolean holds() {
        return all.stream().allMatch(alike -> alike.get(0).hold());
    }

    /**
     * Returns a line with the number of scenarios in which this library met all bounds, and the figures of each
     * scenario that have a bound.
     */
    String figure() {
        long held = all.stream().filter(alike -> alike.get(0).hold()).count();
        return held + " of " + all.size() + " scenarios held: "
                + all.stream()
                        .map(alike -> alike.get(0))
                        .map(own -> own.scenario() + " "
                                + own.measures().stream()
                                        .filter(measure -> !measure.promise().isEmpty())
                                        .map(measure -> measure.name() + " " + measure.figure())
                                        .collect(Collectors.joining(", ")))
                        .collect(Collectors.joining("; "));
    }
}
