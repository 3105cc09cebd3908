package io.ostraka.api;

/** Outcome of one item's part in a fire. */
public enum ItemOutcome {
    /** The code returned normally. */
    SUCCEEDED,
    /** The code threw an exception in every attempt that {@link JobConfiguration#retry()} allows. */
    FAILED,
    /** The run exceeded {@link JobConfiguration#timeout()}; the engine cancelled it, and the code has returned. */
    TIMED_OUT,
    /**
     * The engine cancelled the run because a later fire of the item was due, and the code has returned. See {@link
     * OverlapPolicy.CancelRunning}.
     */
    CANCELLED,
    /**
     * The item did not run: it was disabled, quarantined or removed by a change of the item count, or a policy skipped
     * the fire.
     */
    SKIPPED,
    /** The owner ended during the run and failover is off, or the job was removed. */
    INTERRUPTED,
    /** {@link JobConfiguration#maxAttempts()} instances died while they ran the fire. */
    CRASHED
}
