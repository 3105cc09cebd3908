package io.ostraka.faults.history;

/** A change of a node, as in the server's log. */
public sealed interface Write {
    /** Returns the path of the node. */
    String path();

    /** Returns the node's data; the empty text for a deletion. */
    String data();

    /** Creation of a node; the path includes the number of a sequential node. */
    record Created(String path, String data, boolean ephemeral) implements Write {}

    /** Write of a node's data. */
    record Changed(String path, String data) implements Write {}

    /** Deletion of a node. */
    record Deleted(String path) implements Write {
        @Override
        public String data() {
            return "";
        }
    }
}
