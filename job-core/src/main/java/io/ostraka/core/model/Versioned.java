package io.ostraka.core.model;

import com.google.gson.JsonObject;
import java.time.Instant;

/**
 * A value as read from its node. Writing its {@link #next} value keeps the fields that a newer version of this library
 * added.
 *
 * @param value the value
 * @param version version of the node's data
 * @param czxid transaction that created the node
 * @param mzxid latest transaction that wrote the node
 * @param modified time of that write on the server's clock
 * @param unknown fields of the node that this version does not know; never modified
 */
public record Versioned<T>(T value, int version, long czxid, long mzxid, Instant modified, JsonObject unknown) {
    /**
     * The version before -1. ZooKeeper's versions wrap, and a node in version -1 cannot be compared, so a write of this
     * version is followed by another write in its transaction.
     */
    public static final int LAST_VERSION = -2;

    /** Returns the version of a node after a write. */
    public static int next(int version) {
        return version == LAST_VERSION ? 0 : version + 1;
    }

    /** Returns the value that a later operation of the same transaction finds in the node. */
    public Versioned<T> within(T written) {
        return new Versioned<>(written, next(version), czxid, mzxid, modified, unknown);
    }

    /** Returns the value in the node after a transaction has replaced this one. */
    public Versioned<T> next(T written, long zxid, Instant at) {
        return new Versioned<>(written, next(version), czxid, zxid, at, unknown);
    }
}
