package io.ostraka.bench;

import java.io.IOException;
import java.util.List;

/** One thing that is measured, of all who take part in the same way. */
interface Scenario {
    /** By which it is chosen on the command line. */
    String name();

    /** What it is, of these sizes, as a heading. What is measured under the same title belongs together. */
    String title();

    /** Whether there is anything of it to measure. */
    boolean takes(Entrant entrant);

    /** Measures it once, with nothing else on the server. */
    void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException;

    /** What this library has to reach. */
    List<Bound> bounds(Results results);

    /**
     * What must hold on whatever machine, with whatever else running: counts alone, with room for what comes in between. That
     * others were measured at all is among it.
     */
    List<Bound> promises(Results results);
}
