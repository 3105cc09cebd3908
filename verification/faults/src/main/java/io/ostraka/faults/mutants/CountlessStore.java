package io.ostraka.faults.mutants;

import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Hides from the engine the item count under which a trigger must run. */
final class CountlessStore extends MutantStore {
    CountlessStore(NodeStore real) {
        super(real);
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        return super.read(path, watch).thenApply(found -> found.map(CountlessStore::countless));
    }

    @Override
    public List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        return super.read(paths).stream()
                .map(read -> read.thenApply(found -> found.map(CountlessStore::countless)))
                .toList();
    }

    private static Node countless(Node node) {
        if (!node.path().startsWith("/triggers/")) {
            return node;
        }
        String data = new String(node.data(), StandardCharsets.UTF_8).replaceAll(",\"total\":\\d+", "");
        return new Node(node.path(), data.getBytes(StandardCharsets.UTF_8), node.stat());
    }
}
