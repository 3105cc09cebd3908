package io.ostraka.api;

import java.time.Duration;

/**
 * Goes along with an instance's life: does what must be done before its first work, such as filling a cache, and is told of
 * each {@link InstanceState}. Given to the registry's builder or found by {@link java.util.ServiceLoader}. Called on worker
 * threads, one call at a time: the next listener, in their {@link #order()}, is called when the one before has returned, or
 * has had its time.
 */
public interface InstanceListener {
    /** The default of {@link #timeLimit()}. */
    Duration DEFAULT_TIME_LIMIT = Duration.ofMinutes(1);

    /** Returns its place: the one with the smallest number comes first; 0 by default, always the same. */
    default int order() {
        return 0;
    }

    /**
     * Returns how long one call may take; one minute by default, always the same. One that takes longer is interrupted, and
     * counts as failed.
     */
    default Duration timeLimit() {
        return DEFAULT_TIME_LIMIT;
    }

    /**
     * The instance is registered with ZooKeeper for the first time, and is about to work: no item is given to it before this
     * has returned, of all listeners one after the other. Until then other instances run the items; where there is none,
     * manual triggers wait, and the jobs' misfire policies decide on scheduled fires afterwards. Does nothing by default.
     *
     * @throws Exception anything: the log and health say so, and it is called again after a second, then after growing
     *     pauses of up to a minute, until it succeeds. What the instance can do without is to be caught here
     */
    default void beforeWork() throws Exception {}

    /**
     * The instance is in another state now. Each change is told, in order, and all listeners are told of it before any is
     * told of the next. Work doesn't wait for it: when it is told of {@link InstanceState#WORKING} items may run already,
     * and what must be done before is for {@link #beforeWork}. Does nothing by default.
     *
     * @throws Exception anything; it is logged and changes nothing
     */
    default void stateChanged(InstanceState now) throws Exception {}
}
