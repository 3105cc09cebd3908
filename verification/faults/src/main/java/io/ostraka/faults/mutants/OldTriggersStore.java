package io.ostraka.faults.mutants;

import io.ostraka.core.tree.NodeStore;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Shows an old list of triggers after each read of the backfills: the triggers that existed at the previous such read.
 */
final class OldTriggersStore extends MutantStore {
    private static final String TRIGGERS = "/triggers";

    private List<String> latest = List.of();
    private @Nullable List<String> shown;

    OldTriggersStore(NodeStore real) {
        super(real);
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
        if (path.equals("/backfills")) {
            return super.children(TRIGGERS).thenCompose(names -> {
                remember(names);
                return super.children(path);
            });
        }
        List<String> old = path.equals(TRIGGERS) ? take() : null;
        return super.children(path).thenApply(names -> old == null ? names : old);
    }

    private synchronized void remember(List<String> names) {
        shown = latest;
        latest = List.copyOf(names);
    }

    private synchronized @Nullable List<String> take() {
        List<String> old = shown;
        shown = null;
        return old;
    }
}
