package io.ostraka.api;

import java.util.Map;

/**
 * Listens to whole fires. One instance makes each call for all instances: before the first item of a fire starts
 * anywhere, and after the last item has ended. Pass the listener to one job with its {@link JobOptions}, on every
 * instance that hosts the job.
 *
 * <p>The engine makes each call once per fire. Another instance repeats a call only if the calling process has died or
 * lost its session during the call. The first process may then still be inside its call, but the result of that call no
 * longer counts. If {@link JobConfiguration#maxAttempts()} instances have died during the call, the fire continues
 * without it. If the item count changes during a fire, the rest of the fire becomes a separate fire of the new items,
 * with its own calls.
 *
 * <p>The items of a fire wait for {@link #beforeFirst}. Only the completion of a manual trigger waits for {@link
 * #afterLast}. If no living instance has the listener, fires run without it, and the log and the job's health report
 * this. Jobs whose items fire independently (fixed delay, adaptive, continuous) have no whole fires and cannot have
 * such a listener.
 *
 * <p>The engine calls the listener on a worker thread. Calls before fires follow one another, and so do calls after
 * fires. A call before one fire may overlap with a call after the previous fire. The listener with the smallest {@link
 * #order} is the first before a fire and the last after it.
 */
public non-sealed interface OnceListener extends FireListener {
    /**
     * Called before the first item of a fire starts; the items wait for this call. Does nothing by default.
     *
     * @param fire the whole fire, with the items that have not ended yet
     * @throws Exception anything; the engine logs it with the job's name, and the items run
     */
    default void beforeFirst(JobFire fire) throws Exception {}

    /**
     * Called after the last item of a fire has ended. Does nothing by default.
     *
     * @param fire the whole fire, with all its items
     * @param outcomes outcomes of all items by item key; {@link ItemOutcome#SKIPPED} for an item that did not run
     * @throws Exception anything; the engine logs it with the job's name and continues
     */
    default void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {}
}
