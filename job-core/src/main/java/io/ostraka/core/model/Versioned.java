package io.ostraka.core.model;

import com.google.gson.JsonObject;
import java.time.Instant;

/**
 * A value as read from its node, with the node's version. A write of a {@link #next} value keeps the fields that a
 * newer version of this library added to the node.
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
     * The version before -1. ZooKeeper's versions wrap from {@code Integer.MAX_VALUE} to negative numbers, but -1 means
     * "any version" in a request. A transaction that writes a node at this version therefore writes the node twice, to
     * version 0.
     */
    public static final int LAST_VERSION = -2;

    /** Returns the version that a write gives to a node of the given version. The version -1 is never used. */
    public static int next(int version) {
        return version == LAST_VERSION ? 0 : version + 1;
    }

    /** Returns a written value with the version that a later operation of the same transaction must check. */
    public Versioned<T> within(T written) {
        return new Versioned<>(written, next(version), czxid, mzxid, modified, unknown);
    }

    /**
     * Returns a value with the version that its node has after a transaction has written the value.
     *
     * @param zxid number of that transaction
     * @param at time of that transaction on the server's clock
     */
    public Versioned<T> next(T written, long zxid, Instant at) {
        return new Versioned<>(written, next(version), czxid, zxid, at, unknown);
    }
}
