package io.ostraka.core.tree;

/** One operation of a transaction. */
@SuppressWarnings("ArrayRecordComponent") // as in Node
public sealed interface NodeOp {
    /** Any version will do. */
    int ANY_VERSION = -1;

    /** Returns the node concerned; of a sequential creation the name without its number. */
    String path();

    /** The node exists, in this version. */
    record Check(String path, int version) implements NodeOp {}

    /** The node doesn't exist and its parent does, which is not ephemeral; creates it. */
    record Create(String path, byte[] data, Kind kind) implements NodeOp {}

    /** The node exists in this version; writes it. */
    record Set(String path, byte[] data, int version) implements NodeOp {}

    /** The node exists in this version and has no children; deletes it. */
    record Delete(String path, int version) implements NodeOp {}

    /** What is created. */
    enum Kind {
        /** Stays until deleted. */
        PERSISTENT,
        /**
         * Stays, and gets a ten-digit number that rises within its parent appended to its name, which may be empty: a
         * path that ends with a slash.
         */
        PERSISTENT_SEQUENTIAL,
        /** Goes with the session. */
        EPHEMERAL
    }
}
