package io.ostraka.api;

import java.time.Duration;

/**
 * Listens to the fires of a job: a {@link JobListener} to an instance's own part in each fire, a {@link OnceListener}
 * to whole fires, with one instance making each call.
 */
public sealed interface FireListener permits JobListener, OnceListener {
    /** Default of {@link #timeLimit()}. */
    Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(10);

    /** Returns the position among listeners, smallest first; 0 by default. Must always return the same number. */
    default int order() {
        return 0;
    }

    /**
     * Returns the time limit of one call; 10 s by default. The engine interrupts a call that takes longer, and the
     * items no longer wait for it. The engine makes no further call of the same kind for the same job until the
     * interrupted call has returned. Must always return the same duration.
     */
    default Duration timeLimit() {
        return DEFAULT_TIME_LIMIT;
    }
}
