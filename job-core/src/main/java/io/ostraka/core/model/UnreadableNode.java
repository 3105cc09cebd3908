package io.ostraka.core.model;

import com.google.gson.JsonObject;
import java.time.Instant;

/**
 * What is wrong with a node that can't be read.
 *
 * @param text which node, and why
 * @param version of its data, by which it can be replaced
 * @param newer whether it is none of ours to replace: a newer version of this library may have written it, or its version
 *     is -1, by which nothing can be replaced
 */
public record UnreadableNode(String text, int version, boolean newer) {
    /** Returns a value as what to replace the node from, with nothing that a newer version put beside it. */
    public <T> Versioned<T> replacedBy(T value) {
        return new Versioned<>(value, version, 0, 0, Instant.EPOCH, new JsonObject());
    }

    /** Returns a value as what to replace the node from. */
    public <T> Versioned<T> replacedBy(Versioned<T> value) {
        return new Versioned<>(value.value(), version, value.czxid(), value.mzxid(), value.modified(), value.unknown());
    }
}
