package io.ostraka.api;

/** How one item's part in a fire ended. */
public enum ItemOutcome {
    /** The job returned. */
    SUCCEEDED,
    /** The job threw, as often as {@link JobConfiguration#retry()} lets it. */
    FAILED,
    /** The job took longer than {@link JobConfiguration#timeout()}, was told to end, and has returned. */
    TIMED_OUT,
    /** The job was told to end, for a later fire of the item, and has returned. */
    CANCELLED,
    /** It was not run: disabled, quarantined, retired, or by policy. */
    SKIPPED,
    /** Its owner ended in mid-run and failover is off, or the job was removed. */
    INTERRUPTED,
    /** As many instances as {@link JobConfiguration#maxAttempts()} died running it. */
    CRASHED
}
