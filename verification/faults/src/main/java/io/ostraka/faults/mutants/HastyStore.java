package io.ostraka.faults.mutants;

import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeStore;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Makes the engine start the items of a fire while beforeFirst of the once-listeners is still running. */
final class HastyStore extends MutantStore {
    HastyStore(NodeStore real) {
        super(real);
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        CompletionStage<Optional<Node>> read = super.read(path, watch);
        return FIRE.matcher(path).matches() ? read.thenApply(found -> found.map(HastyStore::open)) : read;
    }

    private static Node open(Node fire) {
        String data = new String(fire.data(), StandardCharsets.UTF_8)
                .replaceAll("\"BEGINNING\",\"caller\":\"[^\"]*\"", "\"OPEN\"");
        return new Node(fire.path(), data.getBytes(StandardCharsets.UTF_8), fire.stat());
    }
}
