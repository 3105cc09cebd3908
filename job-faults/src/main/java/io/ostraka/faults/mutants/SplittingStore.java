package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Sends the deletions of some transactions in a second transaction after the rest. */
final class SplittingStore extends MutantStore {
    private final Predicate<List<NodeOp>> split;

    SplittingStore(NodeStore real, Predicate<List<NodeOp>> split) {
        super(real);
        this.split = split;
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        if (!split.test(operations)) {
            return super.commit(operations);
        }
        List<NodeOp> deletions =
                operations.stream().filter(NodeOp.Delete.class::isInstance).toList();
        List<NodeOp> first = operations.stream()
                .map(operation -> deletions.contains(operation) ? nothing() : operation)
                .toList();
        return super.commit(first)
                .thenCompose(outcome -> outcome instanceof Outcome.Committed
                        ? super.commit(deletions)
                        : CompletableFuture.completedStage(outcome));
    }
}
