package io.ostraka.core.run;

import java.time.Duration;

/** Observes a run. The engine calls it on any thread, so each method must only enqueue work. */
public interface RunObserver {
    /** An attempt begins. */
    default void began() {}

    /** An attempt has returned or thrown; the run may be retried. */
    default void returned(Duration took) {}

    /** The process has no thread for the code, or has found one. */
    default void stalled() {}

    /** The code still runs long after the run was stopped. */
    void abandoned();

    /** The run has ended. Called once. */
    void ended(RunEnd end);
}
