package io.ostraka.testkit;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.fixtures.DeafListener;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Changes nodes as an operator does with {@code zkCli.sh}, bypassing the engine. */
final class ZkCli {
    private final InMemoryCoordination tree;
    private final InMemoryNodeStore store;

    ZkCli(TestCluster cluster) {
        tree = cluster.tree();
        store = tree.connect("hand", Runnable::run);
        store.start(new DeafListener());
    }

    String text(String path) {
        return tree.read(path)
                .map(node -> new String(node.data(), StandardCharsets.UTF_8))
                .orElse("");
    }

    int version(String path) {
        return tree.read(path).orElseThrow().version();
    }

    List<String> children(String path) {
        return tree.children(path);
    }

    void write(String path, String text) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        send(
                tree.read(path).isPresent()
                        ? new NodeOp.Set(path, data, NodeOp.ANY_VERSION)
                        : new NodeOp.Create(path, data, NodeOp.Kind.PERSISTENT));
    }

    /** Deletes the node with its children in one transaction; fails if the node does not exist. */
    void delete(String path) {
        if (tree.read(path).isEmpty()) {
            throw new IllegalStateException("there is no node " + path);
        }
        List<NodeOp> deletions = new ArrayList<>();
        collect(path, deletions);
        send(deletions.toArray(NodeOp[]::new));
    }

    private void collect(String path, List<NodeOp> deletions) {
        tree.children(path).forEach(name -> collect(path + "/" + name, deletions));
        deletions.add(new NodeOp.Delete(path, NodeOp.ANY_VERSION));
    }

    private void send(NodeOp... operations) {
        Outcome outcome =
                store.commit(List.of(operations)).toCompletableFuture().getNow(new Outcome.Unknown());
        if (!(outcome instanceof Outcome.Committed)) {
            throw new IllegalStateException(outcome + " of " + List.of(operations));
        }
    }
}
