package io.ostraka.core.tree;

import java.util.List;

/** What may be asked of a {@link NodeStore}: the same for every adapter. */
public final class NodeRequests {
    /** The longest packet that may be sent: a server drops the connection at more than 1 MiB, ZooKeeper's default. */
    public static final int MAX_BYTES = 1_000_000;

    /** Length, header, and the mark of a transaction's end. */
    private static final int REQUEST_BYTES = 4 + 8 + 9;
    /** Of each operation: its header, the length of its path, and its version or flags. */
    private static final int OPERATION_BYTES = 9 + 4 + 4;

    private static final int LENGTH_BYTES = 4;

    private NodeRequests() {}

    /**
     * Checks a path.
     *
     * @throws IllegalArgumentException if it isn't one
     */
    public static void requirePath(String path) {
        if (!path.equals("/") && !isPath(path)) {
            throw new IllegalArgumentException("Not the path of a node: '" + path + "'");
        }
    }

    private static boolean isPath(String path) {
        int slash = -1;
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) == '/') {
                if (slash >= 0 ? !isName(path, slash + 1, i) : i > 0) {
                    return false;
                }
                slash = i;
            } else if (!isTaken(path.charAt(i))) {
                return false;
            }
        }
        return slash >= 0 && isName(path, slash + 1, path.length());
    }

    private static boolean isName(String path, int from, int to) {
        boolean dots = path.startsWith(".", from) && (to == from + 1 || (to == from + 2 && path.charAt(to - 1) == '.'));
        return to > from && !dots;
    }

    /** No control characters, no private ones and nothing beyond 16 bits: ZooKeeper takes none of them. */
    private static boolean isTaken(char character) {
        boolean surrogateOrPrivate = character >= 0xD800 && character <= 0xF8FF;
        return !Character.isISOControl(character) && !surrogateOrPrivate && character < 0xFFF0;
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

    /**
     * Returns how long the packet is that a transaction makes, as ZooKeeper's client writes it.
     *
     * @param rootLength characters of the path that comes before each operation's own
     * @param aclBytes of the access rights that each node is created with
     */
    public static long bytes(List<NodeOp> operations, int rootLength, int aclBytes) {
        long bytes = REQUEST_BYTES;
        for (NodeOp operation : operations) {
            bytes += OPERATION_BYTES + rootLength + operation.path().length();
            if (operation instanceof NodeOp.Create create) {
                bytes += LENGTH_BYTES + create.data().length + aclBytes;
            } else if (operation instanceof NodeOp.Set set) {
                bytes += LENGTH_BYTES + set.data().length;
            }
        }
        return bytes;
    }

    private static boolean isNumbered(NodeOp operation) {
        return operation instanceof NodeOp.Create create && create.kind() == NodeOp.Kind.PERSISTENT_SEQUENTIAL;
    }
}
