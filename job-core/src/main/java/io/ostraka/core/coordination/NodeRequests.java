package io.ostraka.core.coordination;

import java.util.List;
import java.util.regex.Pattern;

/** What may be asked of a {@link NodeStore}: the same for every adapter. */
public final class NodeRequests {
    /** A server drops the connection of who sends more than 1 MiB, ZooKeeper's default, again and again. */
    private static final int MAX_BYTES = 1_000_000;

    /** The path above the namespace, and what surrounds path and data. */
    private static final int OVERHEAD_BYTES = 100;

    /** No control characters, no private ones and nothing beyond 16 bits: ZooKeeper takes none of them. */
    private static final String CHARACTER = "[^/\\p{IsControl}\\x{D800}-\\x{F8FF}\\x{FFF0}-\\x{10FFFF}]";

    private static final Pattern PATH = Pattern.compile("(/(?!\\.{1,2}(/|$))" + CHARACTER + "+)+");

    private NodeRequests() {}

    /**
     * Checks a path.
     *
     * @throws IllegalArgumentException if it isn't one
     */
    public static void requirePath(String path) {
        if (!path.equals("/") && !PATH.matcher(path).matches()) {
            throw new IllegalArgumentException("Not the path of a node: '" + path + "'");
        }
    }

    /**
     * Checks a transaction.
     *
     * @throws IllegalArgumentException if it is empty, has what isn't a path, or creates or deletes the root
     */
    public static void requireTransaction(List<NodeOp> operations) {
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("A transaction needs an operation");
        }
        for (NodeOp operation : operations) {
            requirePath(isNumbered(operation) ? operation.path() + "0" : operation.path());
            boolean keepsNodes = operation instanceof NodeOp.Check || operation instanceof NodeOp.Set;
            if (operation.path().equals("/") && !keepsNodes && !isNumbered(operation)) {
                throw new IllegalArgumentException("The root is neither created nor deleted: " + operation);
            }
        }
    }

    /** Whether a transaction must be rejected for its size, without a server being asked. */
    public static boolean isTooLarge(List<NodeOp> operations) {
        long bytes = 0;
        for (NodeOp operation : operations) {
            bytes += OVERHEAD_BYTES + operation.path().length() + dataLength(operation);
        }
        return bytes > MAX_BYTES;
    }

    private static boolean isNumbered(NodeOp operation) {
        return operation instanceof NodeOp.Create create && create.kind() == NodeOp.Kind.PERSISTENT_SEQUENTIAL;
    }

    private static int dataLength(NodeOp operation) {
        if (operation instanceof NodeOp.Create create) {
            return create.data().length;
        }
        return operation instanceof NodeOp.Set set ? set.data().length : 0;
    }
}
