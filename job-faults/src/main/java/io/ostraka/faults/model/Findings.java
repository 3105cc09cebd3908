package io.ostraka.faults.model;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What checking a model has shown.
 *
 * @param states how many were reached
 * @param steps how many were taken between them
 * @param depth length of the longest of the shortest ways to a state
 * @param time what it took
 * @param violation the invariant that does not hold; null if all do
 * @param trail one of the shortest ways to the violation
 */
record Findings(long states, long steps, int depth, Duration time, @Nullable String violation, List<String> trail) {
    Findings {
        trail = List.copyOf(trail);
    }

    void print(PrintStream out) {
        if (violation != null) {
            int number = 0;
            for (String step : trail) {
                out.printf(Locale.ROOT, "  %2d. %s%n", ++number, step);
            }
            out.println("  => " + violation);
        }
        out.printf(
                Locale.ROOT,
                "%s: %,d states, %,d steps, depth %d, %.1f s%n",
                violation == null ? "holds" : "VIOLATED",
                states,
                steps,
                depth,
                time.toMillis() / 1000.0);
    }
}
