package io.ostraka.core.model;

import com.google.gson.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of an item, as read from ZooKeeper. The nodes are read one after the other, the record first, so they may
 * show the states of different times. The running node is the ephemeral node that marks the item as running.
 *
 * @param item key of the item
 * @param record record of the item; null if missing or unreadable
 * @param running id of the ZooKeeper session that owns the running node; 0 if there is no running node
 * @param ownerLives true if the record shows an unfinished run whose owner is registered
 * @param handover the failover node; null if missing or damaged
 * @param handoverNode true if a failover node exists, readable or not
 * @param damage description of a damaged record; null if the record is readable or missing
 */
public record ItemView(
        String item,
        @Nullable Versioned<ItemRecord> record,
        long running,
        boolean ownerLives,
        @Nullable Handover handover,
        boolean handoverNode,
        @Nullable UnreadableNode damage) {
    /** Returns the same view with this record in place of the lost or damaged one. */
    public ItemView replacedBy(ItemRecord lost) {
        Versioned<ItemRecord> stand =
                new Versioned<>(lost, damage == null ? 0 : damage.version(), 0, 0, Instant.EPOCH, new JsonObject());
        return new ItemView(item, stand, running, ownerLives, handover, handoverNode, null);
    }

    /** Returns whether the item has a fire that was claimed but not completed. */
    public boolean unfinished() {
        return record != null && record.value().unfinished();
    }

    /**
     * Returns whether the item is idle: it has neither an unfinished run nor a running node (the ephemeral node that
     * marks an item as running).
     */
    public boolean idle() {
        return running == 0 && !unfinished();
    }

    /**
     * Returns whether the item has an interrupted fire: its owner has claimed the fire and is gone, or has handed the
     * fire over.
     */
    public boolean interrupted() {
        if (record == null || running != 0) {
            return false;
        }
        return switch (record.value().state()) {
            case HANDED_OVER -> true;
            case RUNNING -> !ownerLives;
            case IDLE, QUARANTINED, RETIRED -> false;
        };
    }
}
