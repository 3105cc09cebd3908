package io.ostraka.core.model;

/** Where an item's record stands. */
public enum ItemState {
    /** Nothing of it runs; what is due may be claimed. */
    IDLE,
    /** Its owner has claimed a fire; if the owner is gone, the fire is interrupted. */
    RUNNING,
    /** Its owner gave an unfinished fire up in good order; it is interrupted. */
    HANDED_OVER,
    /** It killed as many instances as it may; nothing is claimed until an operator releases it. */
    QUARANTINED,
    /** It lies beyond the present item count. */
    RETIRED
}
