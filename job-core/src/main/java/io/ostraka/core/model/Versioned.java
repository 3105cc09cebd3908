package io.ostraka.core.model;

import com.google.gson.JsonObject;
import java.time.Instant;

/**
 * A value as it stands in its node. Writing a successor by {@link #next} keeps what a newer version of this library put
 * beside it.
 *
 * @param value the value
 * @param version of the node's data
 * @param czxid transaction that created the node
 * @param mzxid transaction that wrote it last
 * @param modified the server's clock at that moment
 * @param unknown fields of the node that this version doesn't know; never changed by anyone
 */
public record Versioned<T>(T value, int version, long czxid, long mzxid, Instant modified, JsonObject unknown) {
    /**
     * The version before -1. ZooKeeper's versions wrap: a node in version -1 can't be compared, so that a write of this
     * version is followed by another one in its transaction.
     */
    public static final int LAST_VERSION = -2;

    /** Returns the version that a node has after a transaction has written it in a version. */
    public static int next(int version) {
        return version == LAST_VERSION ? 0 : version + 1;
    }

    /** Returns what a later move of the transaction that replaces this value by another finds in the node. */
    public Versioned<T> within(T written) {
        return new Versioned<>(written, next(version), czxid, mzxid, modified, unknown);
    }

    /** Returns what stands in the node after a transaction has replaced this value by another. */
    public Versioned<T> next(T written, long zxid, Instant at) {
        return new Versioned<>(written, next(version), czxid, zxid, at, unknown);
    }
}
