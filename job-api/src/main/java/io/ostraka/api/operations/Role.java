package io.ostraka.api.operations;

/** Role that a person needs for an operation. Each role includes the rights of the roles before it. */
public enum Role {
    /** May read every view. */
    VIEWER,
    /** May also run the commands of daily work, such as a pause or a trigger. */
    OPERATOR,
    /** May also run commands that delete data or end processes. */
    ADMIN
}
