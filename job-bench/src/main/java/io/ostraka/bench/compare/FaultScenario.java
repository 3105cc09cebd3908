package io.ostraka.bench.compare;

import java.io.IOException;

/** A fault that is repeated on a cluster, and the measurements of its effects. */
interface FaultScenario {
    /** Returns the name of the scenario. */
    String name();

    /** Returns the default number of repetitions. */
    default int tries() {
        return 20;
    }

    /** Runs the scenario on a cluster of the site's entrant. */
    Findings run(Site site, int tries) throws IOException, InterruptedException;
}
