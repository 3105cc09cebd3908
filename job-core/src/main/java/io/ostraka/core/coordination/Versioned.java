package io.ostraka.core.coordination;

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
    /** Returns what a later move of the transaction that replaces this value by another finds in the node. */
    public Versioned<T> within(T written) {
        return new Versioned<>(written, NodeOp.next(version), czxid, mzxid, modified, unknown);
    }

    /** Returns what stands in the node after a transaction has replaced this value by another. */
    public Versioned<T> next(T written, Outcome.Committed commit) {
        return new Versioned<>(written, NodeOp.next(version), czxid, commit.zxid(), commit.at(), unknown);
    }
}
