package io.ostraka.api;

/** How one item's part in a fire ended. */
public enum ItemOutcome {
    /** The job returned. */
    SUCCEEDED,
    /** The job threw. */
    FAILED,
    /** It was not run: disabled, quarantined, retired, or by policy. */
    SKIPPED,
    /** Its owner ended in mid-run and failover is off, or the job was removed. */
    INTERRUPTED,
    /** As many instances as {@link JobConfiguration#maxAttempts()} died running it. */
    CRASHED
}
