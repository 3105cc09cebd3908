package io.ostraka.core.tree;

import java.time.Instant;

/**
 * A node, as read from the store.
 *
 * @param path absolute path within the namespace
 * @param data content; callers must not modify the array
 * @param stat version, transactions and times of the node
 */
@SuppressWarnings("ArrayRecordComponent") // nodes are never compared, and a copy of up to 1 MB would be wasted
public record Node(String path, byte[] data, Stat stat) {
    /**
     * Version, transactions and times of a node, as the server stores them.
     *
     * @param version number of writes since the node was created. This number wraps from {@code Integer.MAX_VALUE} to
     *     negative numbers
     * @param czxid transaction that created the node
     * @param mzxid latest transaction that wrote the node
     * @param created time of the creation on the server's clock
     * @param modified time of the latest write on the server's clock
     * @param ephemeralOwner session that owns an ephemeral node, which is deleted with the session; 0 for a persistent
     *     node
     */
    public record Stat(int version, long czxid, long mzxid, Instant created, Instant modified, long ephemeralOwner) {}

    /** Returns the version: the number of writes since the node was created. */
    public int version() {
        return stat.version();
    }

    /** Returns the transaction that created the node. */
    public long czxid() {
        return stat.czxid();
    }

    /** Returns the latest transaction that wrote the node. */
    public long mzxid() {
        return stat.mzxid();
    }

    /** Returns the session that owns an ephemeral node; 0 for a persistent node. */
    public long ephemeralOwner() {
        return stat.ephemeralOwner();
    }
}
