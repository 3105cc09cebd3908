package io.ostraka.api;

/** Reason for which a fire did not run. */
public enum SkipReason {
    /** The fire was too old when it could first run, and the misfire policy skipped it. */
    MISFIRED,
    /** The item was still running, and the overlap policy skipped the fire. */
    OVERLAPPED,
    /** The item was still running, and a later fire runs in place of this one. */
    COALESCED,
    /** An operator has disabled the item. */
    DISABLED,
    /** An operator paused the job after the fire had begun on other items and before it began on this item. */
    PAUSED,
    /** The item is quarantined. */
    QUARANTINED,
    /** The trigger does not include the item, or was accepted before the item existed. */
    NOT_CONCERNED,
    /** The item count changed while failover was off, after the fire had begun for other items of the old count. */
    ITEM_COUNT_CHANGED,
    /** Another schedule came into force before the item could decide the fire. */
    SCHEDULE_CHANGED,
    /** The item has no instance any more: its own instance has left, or its zone has no instance. */
    NO_INSTANCE,
    /** The job is being removed. */
    REMOVED
}
