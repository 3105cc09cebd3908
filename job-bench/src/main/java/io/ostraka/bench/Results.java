package io.ostraka.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured, by row and entrant, of every round. Thread-safe. */
final class Results {
    private final Map<String, Map<Entrant, List<Double>>> rows = new LinkedHashMap<>();

    /**
     * Adds what one round has measured.
     *
     * @param row what it is, with its unit
     */
    synchronized void add(Entrant entrant, String row, double value) {
        rows.computeIfAbsent(row, added -> new EnumMap<>(Entrant.class))
                .computeIfAbsent(entrant, added -> new ArrayList<>())
                .add(value);
    }

    /** All rows, in the order in which they were measured first. */
    synchronized List<String> rows() {
        return List.copyOf(rows.keySet());
    }

    /** Whether anything was measured of it. */
    synchronized boolean has(Entrant entrant) {
        return rows.values().stream().anyMatch(row -> row.containsKey(entrant));
    }

    /** The median of all rounds; not a number where nothing was measured. */
    synchronized double of(Entrant entrant, String row) {
        return median(rows.getOrDefault(row, Map.of()).getOrDefault(entrant, List.of()));
    }

    static double median(List<Double> values) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }
}
