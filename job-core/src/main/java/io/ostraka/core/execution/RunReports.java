package io.ostraka.core.execution;

/** What is told of a run, on any thread; must only enqueue. */
public interface RunReports {
    /** The code was told to end long ago and hasn't. */
    void abandoned();

    /** The code has really returned, for the last time. Told once. */
    void ended(RunEnd end);
}
