package io.ostraka.cli;

/** Confirmation that a command needs. Every command on more than one job needs the name of the namespace. */
enum Guard {
    /** None for a single target. */
    NONE,
    /** The name of the job. */
    JOB,
    /** The name of the namespace. */
    NAMESPACE
}
