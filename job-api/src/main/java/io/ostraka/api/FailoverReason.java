package io.ostraka.api;

/** Reason for which an instance runs an interrupted fire again. */
public enum FailoverReason {
    /**
     * The owner died during the run, or its session ended. A process counts as dead if it had no new session when
     * another instance took over its fire.
     */
    CRASHED,
    /** The owner handed the fire over, at its shutdown or at the end of its session. */
    HANDED_OVER
}
