package io.ostraka.api;

import java.util.Map;

/**
 * Listens to an instance's part in a fire: before the first of its items starts and after the last of them has ended.
 * Each instance calls its own listeners and writes nothing to ZooKeeper for these calls. Pass a listener to one job
 * with its {@link JobOptions}. Listeners that were passed to the registry's builder or found by {@link
 * java.util.ServiceLoader} receive the fires of every job.
 *
 * <p>Items that start together, or wait for a slot together, share one pair of calls. An item that starts later gets a
 * pair of calls of its own: for example, an item that this instance took over, or an item whose earlier run had not
 * ended yet.
 *
 * <p>The engine calls listeners on a worker thread, one call at a time for each job. The listener with the smallest
 * {@link #order} is the first before a fire and the last after it.
 */
public non-sealed interface JobListener extends FireListener {
    /**
     * Called before the first items of a fire start; the items wait for this call. Does nothing by default.
     *
     * @param fire this instance's part in the fire
     * @throws Exception anything; the engine logs it with the job's name, and the items run
     */
    default void beforeFire(JobFire fire) throws Exception {}

    /**
     * Called after the last item of a fire has ended in this instance. Does nothing by default.
     *
     * @param fire this instance's part in the fire
     * @param outcomes outcomes of the items that have ended here, by item key, without the items that other instances
     *     take over
     * @throws Exception anything; the engine logs it with the job's name and continues
     */
    default void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {}
}
