package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Rewrites transactions before it sends them. */
final class RewritingStore extends MutantStore {
    private final UnaryOperator<List<NodeOp>> rewriting;

    RewritingStore(NodeStore real, UnaryOperator<List<NodeOp>> rewriting) {
        super(real);
        this.rewriting = rewriting;
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        return super.commit(rewriting.apply(operations));
    }
}
