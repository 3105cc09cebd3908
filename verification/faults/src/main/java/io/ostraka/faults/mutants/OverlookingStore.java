package io.ostraka.faults.mutants;

import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeStore;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Hides a part of the operators' orders for the namespace. */
final class OverlookingStore extends MutantStore {
    private final UnaryOperator<String> shown;

    OverlookingStore(NodeStore real, UnaryOperator<String> shown) {
        super(real);
        this.shown = shown;
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        return super.read(path, watch)
                .thenApply(read -> read.map(node -> path.equals("/orders") ? partly(node) : node));
    }

    private Node partly(Node node) {
        String text = shown.apply(new String(node.data(), StandardCharsets.UTF_8));
        return new Node(node.path(), text.getBytes(StandardCharsets.UTF_8), node.stat());
    }
}
