package io.ostraka.core.run;

import java.time.Duration;

/** What is told of a run, on any thread; must only enqueue. */
public interface RunObserver {
    /** The code begins: for the first time, or once more after it had failed. */
    default void began() {}

    /** The code has returned, or thrown; it may be tried again. */
    default void returned(Duration took) {}

    /** The process has no thread to run the code on, or has one at last. */
    default void stalled() {}

    /** The code was told to end long ago and hasn't. */
    void abandoned();

    /** The code has really returned, for the last time. Told once. */
    void ended(RunEnd end);
}
