package io.ostraka.api;

import java.time.Duration;

/**
 * Prepares an instance for its first work, for example by filling a cache, and receives each change of its {@link
 * InstanceState}. Pass a listener to the registry's builder, or let {@link java.util.ServiceLoader} find it. The engine
 * calls listeners on worker threads, one after the other in their {@link #order()}. It calls the next listener after
 * the previous call has returned or has reached its time limit.
 */
public interface InstanceListener {
    /** Default of {@link #timeLimit()}. */
    Duration DEFAULT_TIME_LIMIT = Duration.ofMinutes(1);

    /** Returns the position among listeners, smallest first; 0 by default. Must always return the same number. */
    default int order() {
        return 0;
    }

    /**
     * Returns the time limit of one call; one minute by default. The engine interrupts a call that takes longer and
     * counts it as failed. Must always return the same duration.
     */
    default Duration timeLimit() {
        return DEFAULT_TIME_LIMIT;
    }

    /**
     * Called after the first registration with ZooKeeper. The leader assigns no item to the instance until all
     * listeners have returned. Until then other instances run the items. If there are no other instances, manual
     * triggers wait, and afterwards the misfire policies of the jobs decide which scheduled fires still run. Does
     * nothing by default.
     *
     * @throws Exception if the instance cannot work yet. The engine reports the exception in the log and in the health.
     *     It repeats the call after a second, and then after growing pauses of up to a minute, until the call succeeds
     */
    default void beforeWork() throws Exception {}

    /**
     * Receives each change of the state, in order. All listeners receive a change before any listener receives the next
     * one. Items do not wait for this call and may already run when the state is {@link InstanceState#WORKING}; use
     * {@link #beforeWork} for preparations. Does nothing by default.
     *
     * @param now new state
     * @throws Exception anything; the engine logs it and continues
     */
    default void stateChanged(InstanceState now) throws Exception {}
}
