package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Splits some transactions into two: some of the operations are sent in a second transaction afterwards. */
final class SplittingStore extends MutantStore {
    private final Predicate<List<NodeOp>> split;
    private final Predicate<NodeOp> late;

    /**
     * @param split selects the transactions
     * @param late selects the operations of the second transaction
     */
    SplittingStore(NodeStore real, Predicate<List<NodeOp>> split, Predicate<NodeOp> late) {
        super(real);
        this.split = split;
        this.late = late;
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        if (!split.test(operations)) {
            return super.commit(operations);
        }
        List<NodeOp> second = operations.stream().filter(late).toList();
        List<NodeOp> first = operations.stream()
                .map(operation -> late.test(operation) ? nothing() : operation)
                .toList();
        return super.commit(first)
                .thenCompose(outcome -> outcome instanceof Outcome.Committed
                        ? super.commit(second)
                        : CompletableFuture.completedStage(outcome));
    }
}
