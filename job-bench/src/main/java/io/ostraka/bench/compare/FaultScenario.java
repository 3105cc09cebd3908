package io.ostraka.bench.compare;

import java.io.IOException;

/** Something that befalls a cluster time and again, and what is measured of how it takes it. */
interface FaultScenario {
    /** Returns what it is called. */
    String name();

    /** Returns how often it is tried unless somebody says otherwise. */
    default int tries() {
        return 20;
    }

    /** Has it befall a cluster of the site's entrant. */
    Findings run(Site site, int tries) throws IOException, InterruptedException;
}
