package io.ostraka.core.job;

import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;

/** Holds a claimed run back until the listeners that precede it have returned. Called on the job's serial executor. */
interface StartGate {
    /** Starts a run as soon as its listeners have returned, or once the run was asked to stop. */
    void pass(ItemRun run, Runnable start);

    /** Receives the end of a run that has passed. */
    default void ended(ItemRun run, RunEnd end) {}
}
