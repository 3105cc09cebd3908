package io.ostraka.faults.history;

import java.util.List;

/**
 * Something that must never be.
 *
 * @param invariant which one is broken, I1 to I8
 * @param what is wrong
 * @param trail the events that show it, in order, the last one the breach
 */
public record Violation(String invariant, String what, List<Event> trail) {
    /** Copies. */
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
