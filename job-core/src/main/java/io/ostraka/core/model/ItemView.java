package io.ostraka.core.model;

import com.google.gson.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An item's nodes, as read one after the other: record first.
 *
 * @param item its key
 * @param record its record; null if missing or unreadable
 * @param running session that holds its running node; 0 if there is none
 * @param ownerLives whether the instance that the record names is registered
 * @param handover its failover node; null if there is none, or it is damaged
 * @param handoverNode whether it has a failover node, readable or not
 * @param damage what is wrong with its record; null if it could be read, or there is none
 */
public record ItemView(
        String item,
        @Nullable Versioned<ItemRecord> record,
        long running,
        boolean ownerLives,
        @Nullable Handover handover,
        boolean handoverNode,
        @Nullable UnreadableNode damage) {
    /** Returns the same as if a record stood in place of the damaged one. */
    public ItemView replacedBy(ItemRecord lost) {
        Versioned<ItemRecord> stand =
                new Versioned<>(lost, damage == null ? 0 : damage.version(), 0, 0, Instant.EPOCH, new JsonObject());
        return new ItemView(item, stand, running, ownerLives, handover, handoverNode, null);
    }

    /** Tells whether a claimed fire was not completed and its owner is gone, or gave it up. */
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
