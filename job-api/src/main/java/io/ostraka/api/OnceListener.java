package io.ostraka.api;

import java.util.Map;

/**
 * Listens to fires across all instances: one instance calls the listener before the first item of a fire starts
 * anywhere, and one instance calls it after the last item has ended. A {@link JobListener}, in contrast, is called by
 * every instance. Pass the listener to one job with its {@link JobOptions}, on every instance that hosts the job.
 *
 * <p>Each call is normally made once per fire. If the calling instance dies or loses its session during the call,
 * another instance repeats the call. The first process may then still be executing its call, but that call no longer
 * has an effect on the fire. After {@link JobConfiguration#maxAttempts()} such interrupted calls the fire continues
 * without the call.
 *
 * <p>If the item count changes during a fire, the items that have not run become a separate fire with the new item
 * count. The listener is called before and after this fire, too.
 *
 * <p>The items of a fire wait for {@link #beforeFirst}. Later fires do not wait for {@link #afterLast}; only the
 * completion of a manual trigger does. If no live instance has the listener, fires run without it, and the log and the
 * job's health report this. The items of a job with a fixed-delay, adaptive or continuous schedule fire independently
 * of each other, so such a job cannot have a listener of this type.
 *
 * <p>The engine calls listeners on worker threads. Calls before fires are made one at a time, and so are calls after
 * fires. A call before one fire may overlap with a call after the previous fire. Before a fire, listeners are called in
 * ascending {@link #order}; after a fire, in descending order.
 */
public non-sealed interface OnceListener extends FireListener {
    /**
     * Called before the first item of a fire starts on any instance. The items wait for this call, at most for {@link
     * #timeLimit()}. Does nothing by default.
     *
     * @param fire the fire, with all its items on all instances except the items that have already ended
     * @throws Exception any exception; the engine logs it with the job's name, and the items run
     */
    default void beforeFirst(JobFire fire) throws Exception {}

    /**
     * Called after the last item of a fire has ended on any instance. Does nothing by default.
     *
     * @param fire the fire, with all its items
     * @param outcomes outcomes of all items by item key; {@link ItemOutcome#SKIPPED} for an item that did not run
     * @throws Exception any exception; the engine logs it with the job's name and continues
     */
    default void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {}
}
