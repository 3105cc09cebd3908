package io.ostraka.api;

/** Reason for which an instance runs an interrupted fire again. */
public enum FailoverReason {
    /**
     * The owner died during the run, or its session ended. A process that had no new session when another instance took its fire over
     * counts as dead.
     */
    CRASHED,
    /** The owner gave the fire up, at its shutdown or at the end of its session. */
    HANDED_OVER
}
