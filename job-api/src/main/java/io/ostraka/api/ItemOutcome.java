package io.ostraka.api;

/** Outcome of an item in a fire. */
public enum ItemOutcome {
    /** The code returned normally. */
    SUCCEEDED,
    /** The code threw an exception in every attempt that {@link JobConfiguration#retry()} allows. */
    FAILED,
    /**
     * The run exceeded {@link JobConfiguration#timeout()}. The engine cancelled the run, and the code then returned.
     */
    TIMED_OUT,
    /**
     * The engine cancelled the run, and the code then returned. The reason was that a later fire of the item was due
     * (see {@link OverlapPolicy.CancelRunning}) or that an operator stopped the fire. The item also has this outcome if
     * its owner died or shut down during the run, and an operator stopped the fire before another instance took it
     * over.
     */
    CANCELLED,
    /**
     * The item did not run in this fire, for example because it was disabled or quarantined, because a policy skipped
     * the fire, or because a change of the item count removed the item.
     */
    SKIPPED,
    /**
     * The owner of the item died or shut down during the run, and the fire does not run again, for example because
     * failover is off for the job, the item is disabled, or the job was removed.
     */
    INTERRUPTED,
    /** The number of instances that died while they ran the fire has reached {@link JobConfiguration#maxAttempts()}. */
    CRASHED
}
