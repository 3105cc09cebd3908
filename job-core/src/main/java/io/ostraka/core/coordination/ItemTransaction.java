package io.ostraka.core.coordination;

import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Versioned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of an instance on items of a job. It contains claims, completions or skipped fires, or a mixture of
 * them.
 *
 * @param job name of the job
 * @param guard preconditions of claims and skipped fires; null for completions, which only check the version of the
 *     record
 * @param moves changes of item records, executed in this order. Each item has one change, or two changes if the end of
 *     a run is combined with the skip of the next fire
 * @param fire write of the fire's progress; null if no progress is stored for this fire
 */
public record ItemTransaction(String job, @Nullable Guard guard, List<Move> moves, @Nullable FireWrite fire) {
    private static final int MAX_MOVES = 500;
    /**
     * Largest total length of the trigger parameters in a transaction, in characters. Each move stores the parameters
     * of its trigger twice, in the item's record and in the item's running node. UTF-8 needs up to three bytes per
     * character.
     */
    private static final int MAX_PARAMETERS = 80_000;

    /**
     * Returns the largest number of moves in one transaction, at least 1. With this number, the transaction stays far
     * below ZooKeeper's size limit.
     *
     * @param parameterLength length of the longest trigger parameters of a move, in characters
     */
    public static int mostMoves(int parameterLength) {
        return Math.max(1, Math.min(MAX_MOVES, MAX_PARAMETERS / (1 + parameterLength)));
    }

    public ItemTransaction {
        moves = List.copyOf(moves);
    }

    /**
     * Preconditions of a transaction: the session of the deciding instance still exists, and the plan has not changed
     * since the decision.
     *
     * @param instanceId id of the deciding instance
     * @param planVersion version of the plan at the decision
     * @param trigger name of the claimed trigger's node, which must still exist; null for scheduled fires
     */
    public record Guard(String instanceId, int planVersion, @Nullable String trigger) {}

    /**
     * Changes one item record.
     *
     * @param item key of the item
     * @param from the record as read; the transaction checks its version
     * @param to new record
     * @param running change of the item's running node
     * @param deleteHandover true to delete the item's failover node, which must exist
     */
    public record Move(
            String item, Versioned<ItemRecord> from, ItemRecord to, Running running, boolean deleteHandover) {}

    /** Change of an item's running node. This node exists while an instance runs the item. */
    public enum Running {
        /** Creates the node, which must not exist. The node is ephemeral: the end of the session deletes it. */
        CREATE,
        /** Deletes the node, which must exist. */
        DELETE,
        /**
         * Deletes the node, which must exist, and creates it again. Used if a claim also completes the previous run.
         */
        RENEW,
        /** Does not change the node. */
        LEAVE
    }

    /**
     * Writes the progress of a fire. A write that ends a triggered fire deletes the trigger in the same transaction. A
     * write that ends a scheduled fire deletes the progress node.
     *
     * @param fire name of the fire's progress node
     * @param from the progress as read; null to create it
     * @param to the new progress
     * @param deleteTrigger true to delete the trigger's node, which must exist
     */
    public record FireWrite(
            String fire, @Nullable Versioned<FireProgress> from, FireProgress to, boolean deleteTrigger) {
        /**
         * Returns whether this write deletes the progress node. This is the case at the end of a scheduled fire,
         * because no client waits for that end.
         */
        public boolean over() {
            return to.done() && to.trigger() == null;
        }
    }
}
