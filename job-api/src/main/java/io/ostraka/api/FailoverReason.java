package io.ostraka.api;

/** Reason why an instance runs an interrupted fire again. */
public enum FailoverReason {
    /**
     * The owner died during the run, or its session ended. If the process of the owner had a new session when another
     * instance took over the fire, the reason is {@link #HANDED_OVER}.
     */
    CRASHED,
    /** The owner handed over the fire, at its shutdown or after its session had ended. */
    HANDED_OVER
}
