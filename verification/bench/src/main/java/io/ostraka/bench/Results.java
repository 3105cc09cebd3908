package io.ostraka.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The measured values of every round, by row and entrant. Thread-safe. */
final class Results {
    private final Map<String, Map<Entrant, List<Double>>> rows = new LinkedHashMap<>();

    /**
     * Adds a value of one round.
     *
     * @param row name of the figure, with its unit
     */
    synchronized void add(Entrant entrant, String row, double value) {
        rows.computeIfAbsent(row, added -> new EnumMap<>(Entrant.class))
                .computeIfAbsent(entrant, added -> new ArrayList<>())
                .add(value);
    }

    /** Returns all rows, in the order of their first values. */
    synchronized List<String> rows() {
        return List.copyOf(rows.keySet());
    }

    /** Returns whether an entrant has any value. */
    synchronized boolean has(Entrant entrant) {
        return rows.values().stream().anyMatch(row -> row.containsKey(entrant));
    }

    /** Returns the median of all rounds; NaN if there is no value. */
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
