package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Shows stops of fires under other names, or hides them. */
final class StopStore extends MutantStore {
    private static final String STOPS = "/stops";

    private final Function<String, @Nullable String> shown;
    /** Real path of each stop, by the path under which this store shows it. */
    private final Map<String, String> real = new ConcurrentHashMap<>();

    /** @param shown function that returns the name under which a stop is shown, or null to hide the stop */
    StopStore(NodeStore store, Function<String, @Nullable String> shown) {
        super(store);
        this.shown = shown;
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
        return path.equals(STOPS)
                ? super.children(path).thenApply(names -> names.stream()
                        .flatMap(name -> Optional.ofNullable(show(name)).stream())
                        .toList())
                : super.children(path);
    }

    private @Nullable String show(String name) {
        String other = shown.apply(name);
        if (other != null) {
            real.put(STOPS + "/" + other, STOPS + "/" + name);
        }
        return other;
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        return super.commit(operations.stream()
                .map(operation -> operation instanceof NodeOp.Delete delete && real.containsKey(delete.path())
                        ? new NodeOp.Delete(real.get(delete.path()), delete.version())
                        : operation)
                .toList());
    }

    @Override
    public List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        return super.read(
                paths.stream().map(path -> real.getOrDefault(path, path)).toList());
    }
}
