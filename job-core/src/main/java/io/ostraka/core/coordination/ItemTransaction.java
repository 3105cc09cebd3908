package io.ostraka.core.coordination;

import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Versioned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an instance does to items of a job at once: a claim, a completion, a decision without a run, or several of them.
 *
 * @param job the job
 * @param guard what must hold for a claim or a decision; null for a completion, which the record's version guards alone
 * @param moves one an item, or two where the end of its run and the next claim go together; in the order given
 * @param fire the write of the whole fire's progress that belongs to them; null where no end of a fire must be known
 */
public record ItemTransaction(String job, @Nullable Guard guard, List<Move> moves, @Nullable FireWrite fire) {
    private static final int MAX_MOVES = 500;
    /** Trigger parameters stand in a record and in its running node; UTF-8 has up to three bytes a character. */
    private static final int MAX_PARAMETERS = 80_000;

    /**
     * Returns how many moves fit one transaction, far below what ZooKeeper takes.
     *
     * @param parameterLength characters of the longest trigger parameters among them
     */
    public static int mostMoves(int parameterLength) {
        return Math.max(1, Math.min(MAX_MOVES, MAX_PARAMETERS / (1 + parameterLength)));
    }

    /** Copies the moves. */
    public ItemTransaction {
        moves = List.copyOf(moves);
    }

    /**
     * The deciding instance's session lives, and the plan that it decided from is in force.
     *
     * @param instanceId who decides
     * @param planVersion the plan's version
     * @param trigger name of the trigger that is claimed, which must still exist; null for scheduled fires
     */
    public record Guard(String instanceId, int planVersion, @Nullable String trigger) {}

    /**
     * Moves one record on.
     *
     * @param item its key
     * @param from as known; its version is checked
     * @param to what it becomes
     * @param running what becomes of the running node
     * @param deleteHandover whether the failover node, which must exist, goes with it
     */
    public record Move(
            String item, Versioned<ItemRecord> from, ItemRecord to, Running running, boolean deleteHandover) {}

    /** What becomes of an item's running node. */
    public enum Running {
        /** It must not exist, and is created; it lives with the session. */
        CREATE,
        /** It must exist, and goes. */
        DELETE,
        /** It is not touched. */
        LEAVE
    }

    /**
     * Writes the progress of a whole fire. Whoever ends a triggered one deletes the trigger too; a scheduled one that has
     * ended is deleted itself.
     *
     * @param fire its id
     * @param from as known; null to create it
     * @param to what it becomes
     * @param deleteTrigger whether the trigger's node, which must exist, goes with it
     */
    public record FireWrite(
            String fire, @Nullable Versioned<FireProgress> from, FireProgress to, boolean deleteTrigger) {
        /** Tells whether nothing of the fire is to be kept: nobody waits for the end of a scheduled one. */
        public boolean over() {
            return to.done() && to.trigger() == null;
        }
    }
}
