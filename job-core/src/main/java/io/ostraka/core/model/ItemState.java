package io.ostraka.core.model;

/** State of an item, as its record stores it. */
public enum ItemState {
    /** The item does not run; due fires may be claimed. */
    IDLE,
    /** The owner has claimed a fire, and the run has not ended. If the owner is gone, the fire was interrupted. */
    RUNNING,
    /** The owner gave up the run before its end. The fire is interrupted, and another instance takes over the fire. */
    HANDED_OVER,
    /**
     * Too many runs of the item have failed, or its owners crashed too often while they ran it. No fire is claimed
     * until an operator releases the item.
     */
    QUARANTINED,
    /** The item no longer exists: its number is beyond the current item count. */
    RETIRED
}
