package io.ostraka.api;

import java.time.Duration;

/**
 * Prepares an instance for its first item, for example by filling a cache, and receives each change of the instance's
 * {@link InstanceState}. Pass a listener to the registry's builder, or let {@link java.util.ServiceLoader} find it. The
 * engine calls listeners on worker threads, one after the other in ascending {@link #order()}. It calls the next
 * listener when the previous call has returned or has reached its time limit.
 */
public interface InstanceListener {
    /** Default of {@link #timeLimit()}. */
    Duration DEFAULT_TIME_LIMIT = Duration.ofMinutes(1);

    /**
     * Returns the position of this listener in the order of calls, smallest first; 0 by default. Must always return the
     * same number.
     */
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
     * Called after the instance has registered with ZooKeeper for the first time. The leader assigns no item to the
     * instance until the calls of all listeners have succeeded. Until then other instances run the items. If there is
     * no other instance, manual triggers wait, and the misfire policies of the jobs decide which of the scheduled fires
     * run later. Does nothing by default.
     *
     * @throws Exception if the instance cannot run items yet. The engine reports the exception in the log and in the
     *     instance's health. It repeats the call after a second, and then after growing pauses of up to a minute, until
     *     the call succeeds
     */
    default void beforeWork() throws Exception {}

    /**
     * Receives each change of the state, in order. All listeners receive one change before any listener receives the
     * next change. Items do not wait for this call: when it reports {@link InstanceState#WORKING}, items may already be
     * running. Use {@link #beforeWork} for preparations. Does nothing by default.
     *
     * @param now new state
     * @throws Exception any exception; the engine logs it and continues
     */
    default void stateChanged(InstanceState now) throws Exception {}
}
