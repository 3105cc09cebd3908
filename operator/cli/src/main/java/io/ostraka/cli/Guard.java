package io.ostraka.cli;

/**
 * Confirmation that a command needs, weakest first. Every command on more than one job needs the name of the namespace.
 */
enum Guard {
    /** None for a single target. */
    NONE,
    /** The name of the job. */
    JOB,
    /** The name of the namespace. */
    NAMESPACE;

    /** Returns the stronger one of two confirmations. */
    Guard or(Guard other) {
        return compareTo(other) < 0 ? other : this;
    }
}
