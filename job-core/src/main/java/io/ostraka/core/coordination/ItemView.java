package io.ostraka.core.coordination;

import io.ostraka.core.model.Handover;
import io.ostraka.core.model.ItemRecord;
import org.jspecify.annotations.Nullable;

/**
 * An item's nodes, as read one after the other: record first.
 *
 * @param item its key
 * @param record its record; null if missing or unreadable
 * @param running session that holds its running node; 0 if there is none
 * @param ownerLives whether the instance that the record names is registered
 * @param handover its failover node; null if there is none
 * @param problem what couldn't be read and why; null if all could
 */
public record ItemView(
        String item,
        @Nullable Versioned<ItemRecord> record,
        long running,
        boolean ownerLives,
        @Nullable Handover handover,
        @Nullable String problem) {
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
