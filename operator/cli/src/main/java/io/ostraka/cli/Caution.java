package io.ostraka.cli;

import java.util.List;
import java.util.stream.Stream;

/**
 * Facts that a person must see before a command acts, because the command line does not show them.
 *
 * @param lines the facts; empty if there are none
 * @param guard the least confirmation that the facts demand
 */
record Caution(List<String> lines, Guard guard) {
    static final Caution NONE = new Caution(List.of(), Guard.NONE);

    /** Copies the lines. */
    Caution {
        lines = List.copyOf(lines);
    }

    /** Returns the facts and the confirmations of both. */
    Caution and(Caution other) {
        return new Caution(Stream.concat(lines.stream(), other.lines.stream()).toList(), guard.or(other.guard));
    }
}
