package io.ostraka.core.tree;

import java.util.List;

/** Checks requests to a {@link NodeStore}. All adapters use these checks. */
public final class NodeRequests {
    /**
     * Longest packet that a client may send, in bytes. By default, a ZooKeeper server closes the connection if a packet
     * is longer than 1 MiB.
     */
    public static final int MAX_BYTES = 1_000_000;

    /** Size of a transaction without its operations, in bytes: length, header and end marker. */
    private static final int REQUEST_BYTES = 4 + 8 + 9;
    /** Size of an operation without its path and data, in bytes: header, length of the path, and version or flags. */
    private static final int OPERATION_BYTES = 9 + 4 + 4;

    private static final int LENGTH_BYTES = 4;

    private NodeRequests() {}

    /**
     * Checks a path.
     *
     * @throws IllegalArgumentException if the path is not valid in ZooKeeper
     */
    public static void requirePath(String path) {
        if (!path.equals("/") && !isPath(path)) {
            throw new IllegalArgumentException("invalid node path: '" + path + "'");
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

    /**
     * Returns whether ZooKeeper accepts a character. It rejects control characters, surrogates, private-use characters,
     * and U+FFF0 to U+FFFF.
     */
    private static boolean isTaken(char character) {
        boolean surrogateOrPrivate = character >= 0xD800 && character <= 0xF8FF;
        return !Character.isISOControl(character) && !surrogateOrPrivate && character < 0xFFF0;
    }

    /**
     * Checks a transaction.
     *
     * @throws IllegalArgumentException if the transaction is empty, contains an invalid path, or creates or
     *     deletes the root
     */
    public static void requireTransaction(List<NodeOp> operations) {
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("a transaction needs at least one operation");
        }
        for (NodeOp operation : operations) {
            requirePath(isNumbered(operation) ? operation.path() + "0" : operation.path());
            boolean keepsNodes = operation instanceof NodeOp.Check || operation instanceof NodeOp.Set;
            if (operation.path().equals("/") && !keepsNodes && !isNumbered(operation)) {
                throw new IllegalArgumentException("the root cannot be created or deleted: " + operation);
            }
        }
    }

    /**
     * Returns the size in bytes of the packet that ZooKeeper's client sends for a transaction.
     *
     * @param rootLength length of the prefix that the adapter adds to each path, in characters
     * @param aclBytes size of the access rights of each created node, in bytes
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
