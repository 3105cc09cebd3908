package io.ostraka.core.meter;

/** Why an instance runs a fire again that was begun before. */
public enum FailoverReason {
    /** Its owner died running it. */
    CRASHED,
    /** Its owner gave it up: at its shutdown, or at the end of its session. */
    HANDED_OVER
}
