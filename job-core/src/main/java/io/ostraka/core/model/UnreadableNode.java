package io.ostraka.core.model;

import com.google.gson.JsonObject;
import java.time.Instant;

/**
 * The damage of an unreadable node.
 *
 * @param text path of the node and the cause, for operators
 * @param version version of its data, with which it can be replaced
 * @param newer whether the node must not be replaced: a newer version of this library may have written it, or its version is
 *     -1, which cannot be compared
 */
public record UnreadableNode(String text, int version, boolean newer) {
    /** Returns a value that replaces the node; fields written by a newer version of this library are dropped. */
    public <T> Versioned<T> replacedBy(T value) {
        return new Versioned<>(value, version, 0, 0, Instant.EPOCH, new JsonObject());
    }

    /** Returns a value that replaces the node, with its fields written by a newer version of this library. */
    public <T> Versioned<T> replacedBy(Versioned<T> value) {
        return new Versioned<>(value.value(), version, value.czxid(), value.mzxid(), value.modified(), value.unknown());
    }
}
