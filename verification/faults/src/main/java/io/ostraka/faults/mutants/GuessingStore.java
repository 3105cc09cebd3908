package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Reports success for some transactions whose result is unknown. */
final class GuessingStore extends MutantStore {
    private final Predicate<List<NodeOp>> guessed;
    private volatile long zxid;
    private volatile Instant at = Instant.EPOCH;

    GuessingStore(NodeStore real, Predicate<List<NodeOp>> guessed) {
        super(real);
        this.guessed = guessed;
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        return super.commit(operations).thenApply(outcome -> {
            if (outcome instanceof Outcome.Committed committed && committed.zxid() != 0) {
                zxid = committed.zxid();
                at = committed.at();
            }
            boolean guess = outcome instanceof Outcome.Unknown && zxid != 0 && guessed.test(operations);
            return guess ? new Outcome.Committed(zxid + 1, at) : outcome;
        });
    }
}
