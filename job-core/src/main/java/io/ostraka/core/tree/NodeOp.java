package io.ostraka.core.tree;

/** Operation of a transaction. */
@SuppressWarnings("ArrayRecordComponent") // see Node
public sealed interface NodeOp {
    /** Matches any version. */
    int ANY_VERSION = -1;

    /** Returns the path of the node; for a sequential creation, the path without the number. */
    String path();

    /** Requires that the node exists in this version. */
    record Check(String path, int version) implements NodeOp {}

    /** Creates the node. It must not exist; its parent must exist and must not be ephemeral. */
    record Create(String path, byte[] data, Kind kind) implements NodeOp {}

    /** Writes the node, which must exist in this version. */
    record Set(String path, byte[] data, int version) implements NodeOp {}

    /** Deletes the node, which must exist in this version and have no children. */
    record Delete(String path, int version) implements NodeOp {}

    /** Kind of a created node. */
    enum Kind {
        /** Exists until it is deleted. */
        PERSISTENT,
        /**
         * Exists until it is deleted. The server appends a ten-digit number to the name, which rises within
         * the parent. The name may be empty: the path then ends with a slash.
         */
        PERSISTENT_SEQUENTIAL,
        /** Is deleted when the session ends. */
        EPHEMERAL
    }
}
