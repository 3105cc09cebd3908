package io.ostraka.bench.compare;

import java.util.List;

/** What was measured of one entrant in one scenario; the same things, in the same order, for every entrant. */
record Findings(String scenario, String entrant, List<Measure> measures) {
    /** Copies. */
    Findings {
        measures = List.copyOf(measures);
    }

    boolean hold() {
        return measures.stream().allMatch(Measure::holds);
    }
}
