package io.ostraka.api;

import java.util.Map;

/**
 * Is told, by one instance for all, before the first item of a fire starts anywhere and after its last has ended, whichever
 * instances have had the items. Given to one job by its bootstrap, on every instance that hosts the job.
 *
 * <p>Each call is made once a fire. It is made again, by another instance, only if the process that was inside of it has
 * died or lost its session: such a process may still be inside when the other one begins, and what it comes to counts no
 * more. A fire whose callers keep dying goes on without after {@link JobConfiguration#maxAttempts()} of them. A fire that a
 * change of the item count catches half done is a fire of its own for the items of the new count, and told of again.
 *
 * <p>The items of a fire wait for {@link #beforeFirst}, and nothing waits for {@link #afterLast} but whoever waits for the end
 * of a manual trigger. Where none of the instances that live has the listener, fires go on without it, and the log says so.
 * Jobs whose items fire each by themselves (fixed delay, adaptive, continuous) have no whole fires: they can't have such a
 * listener.
 *
 * <p>Called on a worker thread. Calls before fires come one after the other, and so do calls after fires; but one fire may be
 * told to begin while the one before is told to have ended. Of several listeners the one with the smallest {@link #order}
 * comes first before a fire, and last after it.
 */
public non-sealed interface OnceListener extends FireListener {
    /**
     * The first items of a fire are about to start, and wait for this. Does nothing by default.
     *
     * @param fire the whole fire; its items are those that have still to end
     * @throws Exception anything; it is logged with the job's name, and the items run
     */
    default void beforeFirst(JobFire fire) throws Exception {}

    /**
     * The last item of a fire has ended. Does nothing by default.
     *
     * @param fire the whole fire, with all its items
     * @param outcomes of all items; {@link ItemOutcome#SKIPPED} for one that has not been run
     * @throws Exception anything; it is logged with the job's name and changes nothing
     */
    default void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) throws Exception {}
}
