package io.ostraka.api.operations;

/** State of a job, as derived from its plan and its override. */
public enum JobState {
    /** Scheduled fires start. */
    ACTIVE,
    /** An operator has paused the job, or it was registered as paused: no scheduled fire starts. */
    PAUSED,
    /**
     * The item count or the scope is changing: no scheduled fire starts until all fires with the old count or scope
     * have ended.
     */
    CHANGING,
    /** The job has no plan yet. */
    UNPLANNED,
    /** The plan, the override or the definition is unreadable. */
    UNREADABLE,
    /** An operator has removed the job. */
    REMOVED
}
