package io.ostraka.core.run;

import java.time.Duration;

/** Receives reports about one run. The engine calls the methods on any thread, and they must only enqueue work. */
public interface RunObserver {
    /** Reports that an attempt begins. */
    default void began() {}

    /**
     * Reports that an attempt has returned or thrown. The run may still be retried.
     *
     * @param took duration of the attempt
     */
    default void returned(Duration took) {}

    /**
     * Reports that the process could not start a thread for the run, or that it has started one after such a failure.
     */
    default void stalled() {}

    /** Reports that the code still runs long after the run was stopped. */
    void abandoned();

    /** Reports that the run has ended. Called once. */
    void ended(RunEnd end);
}
