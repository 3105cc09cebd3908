package io.ostraka.api;

/** Why a fire was not run. */
public enum SkipReason {
    /** It was too old when it could first run, and the misfire policy drops it. */
    MISFIRED,
    /** The item was still running, and the overlap policy drops it. */
    OVERLAPPED,
    /** The item was still running, and a later fire stands for it. */
    COALESCED,
    /** An operator has disabled the item. */
    DISABLED,
    /** The job was paused once its fire had begun, and before the item began it. */
    PAUSED,
    /** The item is quarantined. */
    QUARANTINED,
    /** The trigger doesn't name the item, or began before the item existed. */
    NOT_CONCERNED,
    /** The item count changed with failover off, and the fire had begun for other items of the old count. */
    ITEM_COUNT_CHANGED,
    /** Another schedule came into force before the item could decide it. */
    SCHEDULE_CHANGED,
    /** No instance takes part for the item any more: its own is gone, or its zone has none. */
    NO_INSTANCE,
    /** The job is being removed. */
    REMOVED
}
