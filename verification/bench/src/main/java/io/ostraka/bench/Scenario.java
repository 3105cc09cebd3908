package io.ostraka.bench;

import java.io.IOException;
import java.util.List;

/** A measurement that is the same for all participants. */
interface Scenario {
    /** Returns the name for the command line. */
    String name();

    /** Returns a heading that contains the sizes. Figures under the same title belong together. */
    String title();

    /** Returns whether the scenario measures the given entrant. */
    boolean takes(Entrant entrant);

    /** Measures an entrant once, with no other load on the server. */
    void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException;

    /** Returns the bounds for this library. */
    List<Bound> bounds(Results results);

    /**
     * Returns the bounds that hold on every machine under any load. They concern only counts, with a margin for
     * background requests. They also require that the other entrants were measured.
     */
    List<Bound> promises(Results results);
}
