package io.ostraka.api;

import java.time.Duration;

/** Is told of a job's fires: by each instance of its own part, or of the whole fire by one for all. */
public sealed interface FireListener permits JobListener, OnceListener {
    /** The default of {@link #timeLimit()}. */
    Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(10);

    /** Returns its place; 0 by default, always the same. */
    default int order() {
        return 0;
    }

    /**
     * Returns how long one call may take; 10 s by default. One that takes longer is interrupted, and what waits for it goes
     * on; until it has really returned, the listener is told nothing more of this kind of this job. Always the same.
     */
    default Duration timeLimit() {
        return DEFAULT_TIME_LIMIT;
    }
}
