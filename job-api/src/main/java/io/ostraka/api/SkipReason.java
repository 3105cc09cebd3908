package io.ostraka.api;

/** Reason why an item did not run in a fire. */
public enum SkipReason {
    /**
     * The item could not start the fire before its next fire came due, or before the fire was too old, and the misfire
     * policy skipped it.
     */
    MISFIRED,
    /** The item was still running, and the overlap policy skipped the fire. */
    OVERLAPPED,
    /** The item was still running, and a later fire runs in place of this one. */
    COALESCED,
    /** An operator has disabled the item. */
    DISABLED,
    /** An operator paused the job after other items had begun the fire and before this item began it. */
    PAUSED,
    /** The item is quarantined. */
    QUARANTINED,
    /** An operator stopped the fire before the item began it. */
    STOPPED,
    /**
     * The manual trigger does not include the item: the trigger names other items, is older than the item, or reached
     * ZooKeeper after the time limit of its request.
     */
    NOT_CONCERNED,
    /**
     * The item count or the scope of the job changed before this item ran the fire. After such a change, an item skips
     * the fire, for example, if failover is off for the job and other items had already begun the fire, if the item was
     * disabled or quarantined, or if the fire belongs to a manual trigger that named items of the former item count.
     */
    ITEM_COUNT_CHANGED,
    /** An operator skipped the fires before a later time, or resumed the job without catching up. */
    SKIPPED_BY_OPERATOR,
    /**
     * The item had already run the fire ahead of its time, because a clock was wrong. An operator has since set the
     * item's cursor back.
     */
    RAN_AHEAD,
    /** A different schedule took effect before the fire was run or skipped. */
    SCHEDULE_CHANGED,
    /**
     * The item no longer has an instance: with {@link Scope#BROADCAST} its instance has left; with {@link
     * Scope#ONE_PER_ZONE} its zone has no instance.
     */
    NO_INSTANCE,
    /** The job is being removed. */
    REMOVED
}
