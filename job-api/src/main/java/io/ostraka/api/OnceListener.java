package io.ostraka.api;

import java.util.Map;

/**
 * Listens to whole fires: one instance calls it for all, before the first item of a fire starts anywhere and after the last item has
 * ended. Pass it to one job with its {@link JobOptions}, on every instance that hosts the job.
 *
 * <p>Each call is made once a fire. Another instance repeats a call only if the calling process has died or lost its session during
 * the call; the first process may then still be inside its call, whose result no longer counts. After {@link
 * JobConfiguration#maxAttempts()} such callers the fire goes on without the call. If the item count changes during a fire, the rest
 * of that fire is a fire of its own for the new items, with calls of its own.
 *
 * <p>The items of a fire wait for {@link #beforeFirst}. Only the completion of a manual trigger waits for {@link #afterLast}. If no
 * living instance has the listener, fires go on without it and the log reports so. Jobs whose items fire independently (fixed delay,
 * adaptive, continuous) have no whole fires and can't have such a listener.
 *
 * <p>The engine calls on a worker thread. Calls before fires follow one another, and so do calls after fires; a call before one fire may
 * overlap with a call after the fire before. The listener with the smallest {@link #order} is the first before a fire and the last after
 * it.
 */
public non-sealed interface OnceListener extends FireListener {
    /**
     * Called before the first item of a fire starts; the items wait for this call. Does nothing by default.
     *
     * @param fire the whole fire; its items are those that have still to end
     * @throws Exception anything; the engine logs it with the job's name, and the items run
     */
    default void beforeFirst(JobFire fire) throws Exception {}

    /**
     * Called after the last item of a fire has ended. Does nothing by default.
     *
     * @param fire the whole fire, with all its items
     * @param outcomes outcomes of all items; {@link ItemOutcome#SKIPPED} for an item that did not run
     * @throws Exception anything; the engine logs it with the job's name and goes on
     */
    default void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {}
}
