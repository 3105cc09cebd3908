package io.ostraka.testkit;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.fixtures.ForwardingStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sends reads at once, and the first transaction only on command. */
final class HeldCommits extends ForwardingStore {
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    HeldCommits(NodeStore real) {
        super(real);
    }

    void release() {
        released.complete(null);
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        return released.thenCompose(go -> super.commit(operations));
    }
}
