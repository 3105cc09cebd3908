package io.ostraka.core.decide;

import io.ostraka.api.SkipReason;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.Handover;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Skipped;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One step of the leader in the cleanup of a job. No two steps of a decision write the same node. */
public sealed interface CleanupStep {
    /**
     * Writes and deletes failover nodes. A failover node shows operators that the item's new owner takes over an
     * interrupted run.
     *
     * @param missing failover nodes to write, by item
     * @param stale items with a failover node that must be deleted
     */
    record Handovers(Map<String, Handover> missing, Set<String> stale) implements CleanupStep {}

    /**
     * Writes item records and the progress of one fire in one transaction.
     *
     * @param records the new records, by item
     * @param fire the new progress; null to leave it unchanged
     * @param skip items that skip a triggered fire in this step, so that the leader can report them; null if there are
     *     none
     */
    record Settle(Cause cause, Map<String, ItemRecord> records, @Nullable FireEnd fire, @Nullable Skip skip)
            implements CleanupStep {}

    /** Items that skip a triggered fire. */
    record Skip(Set<String> items, Fire trigger, SkipReason reason) {}

    /**
     * New progress of a fire.
     *
     * @param name name of the fire's node
     * @param to the new progress
     * @param endsTrigger true to delete the trigger's node in the same transaction
     */
    record FireEnd(String name, FireProgress to, boolean endsTrigger) {}

    /** Deletes the damaged progress node of a fire. */
    record DeleteFire(FireView fire) implements CleanupStep {}

    /**
     * Deletes the nodes of an item that the plan no longer contains.
     *
     * @param skipped the scheduled fires that the item skips; null if there are none
     */
    record RemoveItem(ItemView item, @Nullable Skipped skipped) implements CleanupStep {}

    /**
     * Writes the plan again without a change. This makes every instance read the plan and look for pending calls of
     * once-listeners.
     */
    record Announce() implements CleanupStep {}

    /** The reason for a {@link Settle}. */
    enum Cause {
        /** The owner left during the run, and the plan no longer contains the item. */
        INTERRUPTED,
        /** Some items will not run the fire. */
        SKIPPED,
        /** The fire's node was damaged, or its trigger was deleted by hand. */
        REPAIRED,
        /** No registered instance has the job's once-listeners. */
        NO_ONCE_LISTENER,
        /** The job was removed. */
        REMOVED
    }
}
