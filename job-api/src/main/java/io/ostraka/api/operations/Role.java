package io.ostraka.api.operations;

/**
 * Role that a person needs for an operation. Each role includes the rights of the roles that are declared before it.
 */
public enum Role {
    /** May read every view. */
    VIEWER,
    /** May also run the commands of daily work, such as pausing or triggering a job. */
    OPERATOR,
    /**
     * May also run the commands with the widest effects, such as removing a job, freezing the namespace or evicting an
     * instance.
     */
    ADMIN
}
