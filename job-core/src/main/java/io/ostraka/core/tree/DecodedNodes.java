package io.ostraka.core.tree;

import com.google.gson.JsonObject;
import io.ostraka.core.model.Versioned;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decodes nodes, and remembers each value as long as the engine uses it. Instances read most nodes again and again,
 * although they rarely change. A value is only used again for a node with equal content, so it does not matter whether
 * the node was deleted, created again, or restored from a backup meanwhile. Thread-safe.
 */
final class DecodedNodes {
    private final Map<String, Decoded> values = new ConcurrentHashMap<>();
    private final ReferenceQueue<Object> unused = new ReferenceQueue<>();

    /** The value of a node's content. It does not keep the value alive. */
    private static final class Decoded extends WeakReference<Object> {
        private final String path;
        private final byte[] data;
        private final JsonObject unknown;

        Decoded(Node node, Versioned<?> read, ReferenceQueue<Object> unused) {
            super(read.value(), unused);
            this.path = node.path();
            this.data = node.data();
            this.unknown = read.unknown();
        }
    }

    /**
     * Returns the value of a node. The value is the same object as that of an earlier call, if the content is equal and
     * the earlier value is still in use.
     *
     * @throws Codec.Unreadable if the content is invalid
     */
    <T> Versioned<T> decode(Node node, Class<T> type) {
        forgetUnused();
        Decoded known = values.get(node.path());
        if (known != null && Arrays.equals(known.data, node.data()) && node.version() != NodeOp.ANY_VERSION) {
            Object value = known.get();
            if (type.isInstance(value)) {
                return Codec.versioned(type.cast(value), node, known.unknown);
            }
        }
        Versioned<T> read = Codec.decode(node, type);
        values.put(node.path(), new Decoded(node, read, unused));
        return read;
    }

    private void forgetUnused() {
        for (Reference<?> next = unused.poll(); next != null; next = unused.poll()) {
            if (next instanceof Decoded decoded) {
                values.remove(decoded.path, decoded);
            }
        }
    }

    /** Returns the number of remembered nodes. A node whose value is no longer in use counts until a later {@link #decode}. */
    int size() {
        return values.size();
    }
}
