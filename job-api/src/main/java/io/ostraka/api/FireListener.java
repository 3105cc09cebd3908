package io.ostraka.api;

import java.time.Duration;

/**
 * Listens to the fires of a job. Implement one of the two subtypes: every instance calls a {@link JobListener} for the
 * items that it runs itself, and one instance calls a {@link OnceListener} for the items of all instances.
 */
public sealed interface FireListener permits JobListener, OnceListener {
    /** Default of {@link #timeLimit()}. */
    Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(10);

    /**
     * Returns the position of this listener among the job's listeners; 0 by default. Before a fire, the engine calls
     * the listener with the smallest number first. After a fire, it calls the listeners in the opposite order. Must
     * always return the same number.
     */
    default int order() {
        return 0;
    }

    /**
     * Returns the time limit of one call; 10 s by default. If a call takes longer, the engine interrupts it and lets
     * the items continue. Until the interrupted call has returned, the engine skips further calls of this listener for
     * the same job and logs each of them as an error. For a {@link OnceListener}, the engine skips only calls of the
     * same method. Must always return the same positive duration.
     */
    default Duration timeLimit() {
        return DEFAULT_TIME_LIMIT;
    }
}
