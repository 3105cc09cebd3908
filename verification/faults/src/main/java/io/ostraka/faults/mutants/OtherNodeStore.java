package io.ostraka.faults.mutants;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Shows some nodes with different contents. */
final class OtherNodeStore extends MutantStore {
    private final Predicate<String> which;
    private final Consumer<JsonObject> other;

    /**
     * @param which selects the nodes by their paths
     * @param other changes the content of a node that was read
     */
    OtherNodeStore(NodeStore real, Predicate<String> which, Consumer<JsonObject> other) {
        super(real);
        this.which = which;
        this.other = other;
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        return super.read(path, watch).thenApply(this::seen);
    }

    @Override
    public List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        return super.read(paths).stream()
                .map(read -> read.thenApply(this::seen))
                .toList();
    }

    private Optional<Node> seen(Optional<Node> read) {
        return read.map(node -> {
            if (!which.test(node.path())) {
                return node;
            }
            JsonObject json = JsonParser.parseString(new String(node.data(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
            other.accept(json);
            return new Node(node.path(), json.toString().getBytes(StandardCharsets.UTF_8), node.stat());
        });
    }
}
