package io.ostraka.bench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A plot of one figure over several sizes of a quantity.
 *
 * @param title name of the figure, with its unit
 * @param by name of the quantity that grows
 * @param sizes sizes in ascending order
 * @param lines values of the figure for each entrant, in the order of the sizes; NaN if not measured
 */
record Plot(String title, String by, List<Integer> sizes, Map<Entrant, List<Double>> lines) {
    /** Smallest number of sizes that are worth a plot. */
    private static final int LEAST = 3;

    private static final Pattern ROW = Pattern.compile("(.+), (\\w+): (\\d+)");

    /** Returns the name of the results row that contains the figure of one size. */
    static String row(String title, String by, int size) {
        return title + ", " + by + ": " + size;
    }

    /** Returns a plot for each figure of the results with enough sizes. */
    static List<Plot> of(Results results) {
        Map<String, TreeMap<Integer, String>> families = new LinkedHashMap<>();
        for (String row : results.rows()) {
            Matcher parts = ROW.matcher(row);
            if (parts.matches()) {
                families.computeIfAbsent(parts.group(1) + "\n" + parts.group(2), added -> new TreeMap<>())
                        .put(Integer.valueOf(parts.group(3)), row);
            }
        }
        List<Plot> plots = new ArrayList<>();
        families.forEach((family, rows) -> {
            if (rows.size() >= LEAST) {
                String[] names = family.split("\n");
                plots.add(new Plot(names[0], names[1], List.copyOf(rows.keySet()), lines(results, rows.values())));
            }
        });
        return plots;
    }

    private static Map<Entrant, List<Double>> lines(Results results, Collection<String> rows) {
        Map<Entrant, List<Double>> lines = new TreeMap<>();
        for (Entrant entrant : Entrant.values()) {
            List<Double> line =
                    rows.stream().map(row -> results.of(entrant, row)).toList();
            if (line.stream().anyMatch(value -> !value.isNaN())) {
                lines.put(entrant, line);
            }
        }
        return lines;
    }
}
