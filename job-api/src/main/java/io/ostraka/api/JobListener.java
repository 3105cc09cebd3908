package io.ostraka.api;

import java.util.Map;

/**
 * Is told, in each instance that has items of a fire, before the first of them starts and after the last has ended. Given to
 * one job by its bootstrap; those given to the registry's builder or found by {@link java.util.ServiceLoader} are told of
 * every job. Nothing of it is written to ZooKeeper: what it is told is of this instance alone.
 *
 * <p>Items that start together, or wait for each other because not all may run at once, are told of together. An item that
 * comes by itself later, taken over from another instance or held up by its own earlier run, is told of by itself, before
 * and after.
 *
 * <p>Called on a worker thread. Of one job each call waits for the one before, of several listeners the one with the smallest
 * {@link #order} comes first before a fire, and last after it.
 */
public non-sealed interface JobListener extends FireListener {
    /**
     * The first items of a fire are about to start, and wait for this. Does nothing by default.
     *
     * @throws Exception anything; it is logged with the job's name, and the items run
     */
    default void beforeFire(JobFire fire) throws Exception {}

    /**
     * The last item of a fire has ended here. Does nothing by default.
     *
     * @param outcomes of the items that have ended here; without those that others are to go on with
     * @throws Exception anything; it is logged with the job's name and changes nothing
     */
    default void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {}
}
