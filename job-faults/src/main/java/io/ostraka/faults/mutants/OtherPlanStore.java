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

/** Shows plans with other contents. */
final class OtherPlanStore extends MutantStore {
    private final Consumer<JsonObject> other;

    /** @param other changes a plan that was read */
    OtherPlanStore(NodeStore real, Consumer<JsonObject> other) {
        super(real);
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
            if (!node.path().endsWith("/sharding")) {
                return node;
            }
            JsonObject json = JsonParser.parseString(new String(node.data(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
            other.accept(json);
            return new Node(node.path(), json.toString().getBytes(StandardCharsets.UTF_8), node.stat());
        });
    }
}
