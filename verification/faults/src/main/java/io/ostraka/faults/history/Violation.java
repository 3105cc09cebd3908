package io.ostraka.faults.history;

import java.util.List;

/**
 * A violation of an invariant.
 *
 * @param invariant name of the broken invariant, such as I1
 * @param what description of the violation
 * @param trail events that show the violation, in order; the last event is the violation itself
 */
public record Violation(String invariant, String what, List<Event> trail) {
    /** Copies the trail. */
    public Violation {
        trail = List.copyOf(trail);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(invariant + ": " + what);
        trail.forEach(event -> text.append("\n    ").append(event));
        return text.toString();
    }
}
