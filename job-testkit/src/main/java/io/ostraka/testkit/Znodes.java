package io.ostraka.testkit;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.Outcome.Reason;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The state of all nodes, and the effects of ZooKeeper's operations on this state. Not thread-safe. */
final class Znodes {
    private final Map<String, Znode> nodes;
    /**
     * The paths of all nodes, sorted. Look-ups of single paths use the map instead, because they are frequent and the
     * map is faster.
     */
    private final NavigableSet<String> paths;
    /** Initial data version of new persistent nodes. */
    private int firstVersion;

    Znodes() {
        nodes = new HashMap<>();
        paths = new TreeSet<>();
        put("/", new Znode(new byte[0], 0, 0, 0, Instant.EPOCH, Instant.EPOCH, 0, 0));
    }

    private Znodes(Znodes other) {
        nodes = new HashMap<>(other.nodes);
        paths = new TreeSet<>(other.paths);
        firstVersion = other.firstVersion;
    }

    void setFirstVersion(int version) {
        firstVersion = version;
    }

    Znodes copy() {
        return new Znodes(this);
    }

    /**
     * Result of a transaction.
     *
     * @param changes changes of all steps; empty if the transaction was rejected
     * @param carriedOut executed operations; sequential names contain their numbers
     * @param rejected reason for the rejection; null if the transaction was committed
     */
    record Attempt(List<Change> changes, List<NodeOp> carriedOut, Outcome.@Nullable Rejected rejected) {}

    Attempt attempt(List<NodeOp> operations, long session, long zxid, Instant at) {
        var changes = new ArrayList<Change>();
        var carriedOut = new ArrayList<NodeOp>();
        for (int i = 0; i < operations.size(); i++) {
            NodeOp operation = numbered(operations.get(i));
            Reason refusal = step(operation, session, zxid, at, changes);
            if (refusal != null) {
                for (int undone = changes.size() - 1; undone >= 0; undone--) {
                    put(changes.get(undone).path(), changes.get(undone).before());
                }
                return new Attempt(List.of(), List.of(), new Outcome.Rejected(i, refusal));
            }
            carriedOut.add(operation);
        }
        return new Attempt(changes, carriedOut, null);
    }

    /**
     * Adds the sequence number to the name if the operation creates a sequential node. Returns other operations
     * unchanged. The earlier operations of the transaction must have been executed.
     */
    private NodeOp numbered(NodeOp operation) {
        if (operation instanceof NodeOp.Create create && create.kind() == NodeOp.Kind.PERSISTENT_SEQUENTIAL) {
            return new NodeOp.Create(numbered(create.path()), create.data(), NodeOp.Kind.PERSISTENT);
        }
        return operation;
    }

    String numbered(String path) {
        Znode parent = nodes.get(parent(path));
        return parent == null ? path : path + String.format(Locale.ROOT, "%010d", parent.creations());
    }

    private @Nullable Reason step(NodeOp operation, long session, long zxid, Instant at, List<Change> changes) {
        String path = operation.path();
        Znode node = nodes.get(path);
        // as in ZooKeeper, the first failure in this order is reported
        if (operation instanceof NodeOp.Create create) {
            Znode parent = nodes.get(parent(path));
            if (parent == null) {
                return Reason.NO_NODE;
            }
            if (node != null) {
                return Reason.NODE_EXISTS;
            }
            if (parent.owner() != 0) {
                return Reason.REFUSED;
            }
            long owner = create.kind() == NodeOp.Kind.EPHEMERAL ? session : 0;
            var created = new Znode(create.data(), owner == 0 ? firstVersion : 0, zxid, zxid, at, at, owner, 0);
            apply(new Change(parent(path), parent, parent.withOneMoreChild()), changes);
            apply(new Change(path, null, created), changes);
            return null;
        }
        if (node == null) {
            return Reason.NO_NODE;
        }
        if (operation instanceof NodeOp.Check check) {
            return isVersion(node, check.version()) ? null : Reason.BAD_VERSION;
        }
        if (operation instanceof NodeOp.Set set) {
            if (!isVersion(node, set.version())) {
                return Reason.BAD_VERSION;
            }
            apply(new Change(path, node, node.written(set.data(), zxid, at)), changes);
            return null;
        }
        if (operation instanceof NodeOp.Delete delete) {
            if (!isVersion(node, delete.version())) {
                return Reason.BAD_VERSION;
            }
            if (hasChildren(path)) {
                return Reason.NOT_EMPTY;
            }
            apply(new Change(path, node, null), changes);
            return null;
        }
        throw new IllegalStateException("Unknown operation: " + operation);
    }

    private static boolean isVersion(Znode node, int version) {
        return version == NodeOp.ANY_VERSION || version == node.version();
    }

    private void apply(Change change, List<Change> changes) {
        apply(change);
        changes.add(change);
    }

    void apply(Change change) {
        put(change.path(), change.after());
    }

    private void put(String path, @Nullable Znode node) {
        if (node == null) {
            nodes.remove(path);
            paths.remove(path);
        } else if (nodes.put(path, node) == null) {
            paths.add(path);
        }
    }

    Optional<Node> read(String path) {
        Znode node = nodes.get(path);
        return node == null ? Optional.empty() : Optional.of(node.at(path));
    }

    void setVersion(String path, int version) {
        Znode node = nodes.get(path);
        if (node == null) {
            throw new IllegalArgumentException("there is no node " + path);
        }
        nodes.put(path, node.withVersion(version));
    }

    boolean exists(String path) {
        return nodes.containsKey(path);
    }

    List<String> children(String path) {
        String prefix = path.equals("/") ? "/" : path + "/";
        var names = new ArrayList<String>();
        String at = paths.higher(prefix);
        while (at != null && at.startsWith(prefix)) {
            int slash = at.indexOf('/', prefix.length());
            if (slash < 0) {
                names.add(at.substring(prefix.length()));
                at = paths.higher(at);
            } else {
                // skips all descendants of this child: '0' follows '/'
                at = paths.ceiling(at.substring(0, slash) + "0");
            }
        }
        return names;
    }

    private boolean hasChildren(String path) {
        String next = paths.higher(path + "/");
        return next != null && next.startsWith(path + "/");
    }

    List<NodeOp> deletionsOf(long owner) {
        var deletions = new ArrayList<NodeOp>();
        paths.forEach(path -> {
            Znode node = nodes.get(path);
            if (node != null && node.owner() == owner) {
                deletions.add(new NodeOp.Delete(path, NodeOp.ANY_VERSION));
            }
        });
        return deletions;
    }

    SortedSet<String> paths() {
        return new TreeSet<>(paths);
    }

    static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash == 0 ? "/" : path.substring(0, slash);
    }
}
