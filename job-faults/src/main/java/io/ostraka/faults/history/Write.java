package io.ostraka.faults.history;

/** One change of a node, as the server's log has it. */
public sealed interface Write {
    /** Returns the node concerned. */
    String path();

    /** A node was created, with its number if it is sequential. */
    record Created(String path, String data, boolean ephemeral) implements Write {}

    /** A node was written. */
    record Changed(String path, String data) implements Write {}

    /** A node was deleted. */
    record Deleted(String path) implements Write {}
}
