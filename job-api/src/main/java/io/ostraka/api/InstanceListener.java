package io.ostraka.api;

import java.time.Duration;

/**
 * Prepares an instance for its first work, for example by filling a cache, and receives each change of its {@link InstanceState}.
 * Pass it to the registry's builder, or let {@link java.util.ServiceLoader} find it. The engine calls listeners on worker threads,
 * one after the other in their {@link #order()}; it calls the next one when the one before has returned or has used up its time.
 */
public interface InstanceListener {
    /** The default of {@link #timeLimit()}. */
    Duration DEFAULT_TIME_LIMIT = Duration.ofMinutes(1);

    /** Returns the position among listeners, smallest first; 0 by default. Must always return the same number. */
    default int order() {
        return 0;
    }

    /**
     * Returns the time limit of one call; one minute by default. A longer call is interrupted and counts as failed. Must always
     * return the same duration.
     */
    default Duration timeLimit() {
        return DEFAULT_TIME_LIMIT;
    }

    /**
     * Called after the first registration with ZooKeeper. The leader assigns no item to the instance before all listeners have
     * returned. Until then other instances run the items; without other instances manual triggers wait, and the misfire policies
     * of the jobs decide about scheduled fires afterwards. Does nothing by default.
     *
     * @throws Exception if the instance can't work yet. The log and health report the exception, and the engine repeats the call
     *     after a second, then after growing pauses of up to a minute, until it succeeds
     */
    default void beforeWork() throws Exception {}

    /**
     * Receives each change of the state, in order; all listeners receive a change before any receives the next. Items do not wait
     * for this call and may run already when the state is {@link InstanceState#WORKING}; use {@link #beforeWork} for preparations.
     * Does nothing by default.
     *
     * @throws Exception anything; the engine logs it and goes on
     */
    default void stateChanged(InstanceState now) throws Exception {}
}
