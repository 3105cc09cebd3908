package io.ostraka.api;

import java.util.Map;

/**
 * Listens to the fires of a job in one instance. Each instance calls its own listeners before its first item of a fire
 * starts and after its last item of the fire has ended. These calls write nothing to ZooKeeper.
 *
 * <p>Pass a listener to one job with its {@link JobOptions}. To listen to the fires of every job, pass the listener to
 * the registry's builder, or let {@link java.util.ServiceLoader} find it.
 *
 * <p>Items that start together, or wait for a slot together, share one call before and one call after the fire. For an
 * item that starts later, the engine makes separate calls before and after the fire. An item starts later, for example,
 * if this instance took it over, or if its earlier run had not ended yet.
 *
 * <p>The engine calls listeners on a worker thread, one call at a time for each job. Before a fire, it calls listeners
 * in ascending {@link #order}; after a fire, in descending order.
 */
public non-sealed interface JobListener extends FireListener {
    /**
     * Called before the first items of a fire start in this instance. The items wait for this call, at most for {@link
     * #timeLimit()}. Does nothing by default.
     *
     * @param fire the fire, with the items that start first on this instance
     * @throws Exception any exception; the engine logs it with the job's name, and the items run
     */
    default void beforeFire(JobFire fire) throws Exception {}

    /**
     * Called after the last item of a fire has ended in this instance. Does nothing by default.
     *
     * @param fire the fire, with all its items on this instance
     * @param outcomes outcomes by item key. An item that another instance takes over has no entry
     * @throws Exception any exception; the engine logs it with the job's name and continues
     */
    default void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {}
}
