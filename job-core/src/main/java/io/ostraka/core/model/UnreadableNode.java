package io.ostraka.core.model;

import com.google.gson.JsonObject;
import io.ostraka.api.CoordinationException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Describes a node with unreadable data.
 *
 * @param text path of the node and the cause, for operators
 * @param version version of the node's data; a write that replaces the node checks this version
 * @param replaceable false if the node must not be replaced. Either its data has another format, which another version
 *     of this library has written, or the node's version is -1. The version -1 cannot be checked, because it means "any
 *     version" in ZooKeeper's requests
 */
public record UnreadableNode(String text, int version, boolean replaceable) {
    /**
     * Checks that a command may replace the data of a node.
     *
     * @param node damage of the node; null if it is readable or missing
     * @throws CoordinationException if the node must not be replaced
     */
    public static void requireReplaceable(@Nullable UnreadableNode node) {
        if (node != null && !node.replaceable) {
            throw new CoordinationException(node.text);
        }
    }

    /**
     * Returns whether the damage is the only write since a value was read, so the value can be restored without undoing
     * another write.
     *
     * @param last the value; null if the node did not exist
     */
    public boolean follows(@Nullable Versioned<?> last) {
        return version == (last == null ? 0 : Versioned.next(last.version()));
    }

    /**
     * Returns the text with advice for operators. The advice is left out if the node must not be replaced, because the
     * text then already contains other advice.
     *
     * @param advice advice for a damaged node
     */
    public String text(String advice) {
        return replaceable ? text + "; " + advice : text;
    }

    /**
     * Returns a value that can replace the data of the node. Fields that a newer version of this library added are
     * lost.
     */
    public <T> Versioned<T> replacedBy(T value) {
        return new Versioned<>(value, version, 0, 0, Instant.EPOCH, new JsonObject());
    }

    /**
     * Returns a value that can replace the data of the node. The replacement keeps the fields that a newer version of
     * this library added to {@code value}.
     */
    public <T> Versioned<T> replacedBy(Versioned<T> value) {
        return new Versioned<>(value.value(), version, value.czxid(), value.mzxid(), value.modified(), value.unknown());
    }
}
