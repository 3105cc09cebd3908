package io.ostraka.api;

/** Reason why an instance runs an interrupted fire again. */
public enum FailoverReason {
    /**
     * The owner's session ended during the run, and its process had not opened a new session when another instance took
     * over the fire. Usually the process has died.
     */
    CRASHED,
    /** The owner handed over the fire when it shut down, or its process lost the session and continued in a new one. */
    HANDED_OVER
}
