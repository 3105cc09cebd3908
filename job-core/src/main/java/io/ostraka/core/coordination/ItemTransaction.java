package io.ostraka.core.coordination;

import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Versioned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of an instance on items of a job: claims, completions, decisions without a run, or several of them.
 *
 * @param job name of the job
 * @param guard preconditions of a claim or a decision; null for a completion, which only the version of the record
 *     guards
 * @param moves changes of records, executed in this order; one for each item, or two if the end of a run and the next
 *     claim are combined
 * @param fire write of the progress of the fire; null if the end of the fire need not be known
 */
public record ItemTransaction(String job, @Nullable Guard guard, List<Move> moves, @Nullable FireWrite fire) {
    private static final int MAX_MOVES = 500;
    /**
     * Trigger parameters are stored in the record and in the running node; UTF-8 has up to three bytes for a
     * character.
     */
    private static final int MAX_PARAMETERS = 80_000;

    /**
     * Returns how many moves fit into one transaction, far below the limit of ZooKeeper.
     *
     * @param parameterLength length of the longest trigger parameters of the moves, in characters
     */
    public static int mostMoves(int parameterLength) {
        return Math.max(1, Math.min(MAX_MOVES, MAX_PARAMETERS / (1 + parameterLength)));
    }

    /** Copies the moves. */
    public ItemTransaction {
        moves = List.copyOf(moves);
    }

    /**
     * Requires that the session of the deciding instance exists and that the plan of the decision is in force.
     *
     * @param instanceId id of the deciding instance
     * @param planVersion version of the plan
     * @param trigger name of the claimed trigger, which must still exist; null for scheduled fires
     */
    public record Guard(String instanceId, int planVersion, @Nullable String trigger) {}

    /**
     * Changes one record.
     *
     * @param item key of the item
     * @param from record as it was read; its version is checked
     * @param to new record
     * @param running change of the running node
     * @param deleteHandover true to delete the failover node, which must exist
     */
    public record Move(
            String item, Versioned<ItemRecord> from, ItemRecord to, Running running, boolean deleteHandover) {}

    /** Change of the running node of an item. */
    public enum Running {
        /** Creates the node, which must not exist; it ends with the session. */
        CREATE,
        /** Deletes the node, which must exist. */
        DELETE,
        /** Leaves the node unchanged. */
        LEAVE
    }

    /**
     * Writes the progress of a whole fire. The write that ends a triggered fire also deletes the trigger; the
     * progress of a scheduled fire is deleted when it ends.
     *
     * @param fire id of the fire
     * @param from progress as it was read; null to create it
     * @param to new progress
     * @param deleteTrigger true to delete the node of the trigger, which must exist
     */
    public record FireWrite(
            String fire, @Nullable Versioned<FireProgress> from, FireProgress to, boolean deleteTrigger) {
        /** Returns whether the progress is deleted: no caller waits for the end of a scheduled fire. */
        public boolean over() {
            return to.done() && to.trigger() == null;
        }
    }
}
