package io.ostraka.core.tree;

import java.time.Instant;

/**
 * A node as it was read.
 *
 * @param path absolute path within the namespace
 * @param data content, which no caller changes
 * @param stat numbers and times that the server keeps for the node
 */
@SuppressWarnings("ArrayRecordComponent") // nodes are never compared, and a copy of up to 1 MB would be wasted
public record Node(String path, byte[] data, Stat stat) {
    /**
     * Numbers and times that the server keeps for a node.
     *
     * @param version number of writes since the node was created
     * @param czxid transaction that created the node
     * @param mzxid transaction that wrote the node last
     * @param created server's clock at the creation
     * @param modified server's clock at the last write
     * @param ephemeralOwner session that the node ends with; 0 for a persistent node
     */
    public record Stat(int version, long czxid, long mzxid, Instant created, Instant modified, long ephemeralOwner) {}

    /** Returns the number of writes since the node was created. */
    public int version() {
        return stat.version();
    }

    /** Returns the transaction that created the node. */
    public long czxid() {
        return stat.czxid();
    }

    /** Returns the transaction that wrote the node last. */
    public long mzxid() {
        return stat.mzxid();
    }

    /** Returns the session that the node ends with; 0 for a persistent node. */
    public long ephemeralOwner() {
        return stat.ephemeralOwner();
    }
}
