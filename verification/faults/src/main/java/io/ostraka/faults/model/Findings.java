package io.ostraka.faults.model;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Result of checking a model.
 *
 * @param states number of states reached
 * @param steps number of steps between them
 * @param depth length of the shortest trail to the most distant state, in steps
 * @param time duration of the check
 * @param violation the broken invariant; null if all hold
 * @param trail one of the shortest trails to the violation
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
