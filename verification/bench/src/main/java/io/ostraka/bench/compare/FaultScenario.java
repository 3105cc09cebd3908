package io.ostraka.bench.compare;

import java.io.IOException;

/** A scenario that repeats a fault on a cluster and measures its effects. */
interface FaultScenario {
    /** Returns the name of the scenario. */
    String name();

    /** Returns the default number of repetitions. */
    default int tries() {
        return 20;
    }

    /** Runs the scenario on a cluster of the entrant that the site names. */
    Findings run(Site site, int tries) throws IOException, InterruptedException;
}
