package io.ostraka.api;

/** Why an instance runs a fire again that was begun before. */
public enum FailoverReason {
    /**
     * Its owner died running it, or its session did: nobody waits to see whether its process comes back under the next one,
     * and if that was not there when the fire was taken over, it counts as dead.
     */
    CRASHED,
    /** Its owner gave it up: at its shutdown, or at the end of its session. */
    HANDED_OVER
}
