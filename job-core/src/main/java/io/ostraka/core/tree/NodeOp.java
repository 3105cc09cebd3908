package io.ostraka.core.tree;

/** An operation of a {@link NodeStore} transaction. */
@SuppressWarnings("ArrayRecordComponent") // see Node
public sealed interface NodeOp {
    /** Version in a request that matches every version of a node. */
    int ANY_VERSION = -1;

    /** Returns the path of the node. For the creation of a sequential node, this is the path without the number. */
    String path();

    /** Checks that the node exists and has this version. */
    record Check(String path, int version) implements NodeOp {}

    /** Creates the node, which must not exist. Its parent must exist and must not be ephemeral. */
    record Create(String path, byte[] data, Kind kind) implements NodeOp {}

    /** Writes the node, which must exist and have this version. */
    record Set(String path, byte[] data, int version) implements NodeOp {}

    /** Deletes the node, which must exist, have this version and have no children. */
    record Delete(String path, int version) implements NodeOp {}

    /** Lifetime of a created node. */
    enum Kind {
        /** The node exists until a client deletes it. */
        PERSISTENT,
        /**
         * The node exists until a client deletes it. The server appends a ten-digit number to the name; the numbers of
         * a parent's children increase. The name may be empty, so that the path ends with a slash.
         */
        PERSISTENT_SEQUENTIAL,
        /** The server deletes the node when the session that created the node ends. */
        EPHEMERAL
    }
}
