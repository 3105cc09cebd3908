package io.ostraka.bench.compare;

import java.util.List;

/** The measurements of one entrant in one scenario. All entrants have the same measures in the same order. */
record Findings(String scenario, String entrant, List<Measure> measures) {
    /** Copies the list. */
    Findings {
        measures = List.copyOf(measures);
    }

    boolean hold() {
        return measures.stream().allMatch(Measure::holds);
    }
}
