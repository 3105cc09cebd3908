package io.ostraka.core.model;

/** State of an item's record. */
public enum ItemState {
    /** The item does not run; due fires may be claimed. */
    IDLE,
    /** The owner has claimed a fire. If the owner has gone, the fire is interrupted. */
    RUNNING,
    /** The owner handed an unfinished fire over; the fire is interrupted. */
    HANDED_OVER,
    /** The item failed or killed its owners too often; no fire is claimed until an operator releases it. */
    QUARANTINED,
    /** The item lies beyond the present item count. */
    RETIRED
}
