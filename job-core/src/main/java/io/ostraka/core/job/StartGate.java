package io.ostraka.core.job;

import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;

/**
 * Delays the start of a claimed run until the listeners that are called before its fire have returned. Called on the
 * job's serial executor.
 */
interface StartGate {
    /** Starts a run after its listeners have returned, or at once if the run is stopped. */
    void pass(ItemRun run, Runnable start);

    /** Called when a run that passed this gate has ended. */
    default void ended(ItemRun run, RunEnd end) {}
}
