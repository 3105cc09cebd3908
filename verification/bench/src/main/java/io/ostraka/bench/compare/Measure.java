package io.ostraka.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The values of one quantity, one for each repetition, and the bounds that they must meet. */
final class Measure {
    /** Value that stands for an event that did not happen in time. */
    static final double NEVER = Double.POSITIVE_INFINITY;

    private final String name;
    private final @Nullable Double medianAtMost;
    private final @Nullable Double mostAtMost;
    private final List<Double> values = new ArrayList<>();

    private Measure(String name, @Nullable Double medianAtMost, @Nullable Double mostAtMost) {
        this.name = name;
        this.medianAtMost = medianAtMost;
        this.mostAtMost = mostAtMost;
    }

    /** Returns a measure without a bound. */
    static Measure of(String name) {
        return new Measure(name, null, null);
    }

    /** Returns this measure with a bound for the median. */
    Measure medianAtMost(double bound) {
        return new Measure(name, bound, mostAtMost);
    }

    /** Returns this measure with a bound for every value. */
    Measure atMost(double bound) {
        return new Measure(name, medianAtMost, bound);
    }

    void add(double value) {
        values.add(value);
    }

    String name() {
        return name;
    }

    List<Double> values() {
        return values;
    }

    double median() {
        List<Double> sorted = values.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    double most() {
        return values.stream().mapToDouble(Double::doubleValue).max().orElse(NEVER);
    }

    /** Returns whether all bounds hold; false if nothing was measured. */
    boolean holds() {
        return !values.isEmpty()
                && (medianAtMost == null || median() <= medianAtMost)
                && (mostAtMost == null || most() <= mostAtMost);
    }

    /** Returns the bounds as text; empty without bounds. */
    String promise() {
        List<String> parts = new ArrayList<>();
        if (medianAtMost != null) {
            parts.add("median " + text(medianAtMost));
        }
        if (mostAtMost != null) {
            parts.add(mostAtMost == 0 ? "none" : "all " + text(mostAtMost));
        }
        return String.join(", ", parts);
    }

    /** Returns the median and the largest value as text. */
    String figure() {
        return values.isEmpty() ? "not measured" : text(median()) + " (" + text(most()) + ")";
    }

    static String text(double value) {
        if (Double.isInfinite(value)) {
            return "never";
        }
        return value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.2f", value);
    }
}
