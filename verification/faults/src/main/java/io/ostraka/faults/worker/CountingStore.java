package io.ostraka.faults.worker;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.fixtures.ForwardingStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the requests that an engine sends to its store, except those for checkpoints of user code. */
final class CountingStore extends ForwardingStore {
    private static final String CHECKPOINT = "/checkpoint";

    private final AtomicLong transactions = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();

    CountingStore(NodeStore real) {
        super(real);
    }

    long transactions() {
        return transactions.get();
    }

    long reads() {
        return reads.get();
    }

    private void read(String path) {
        if (!path.endsWith(CHECKPOINT)) {
            reads.incrementAndGet();
        }
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        if (operations.stream().noneMatch(operation -> operation.path().endsWith(CHECKPOINT))) {
            transactions.incrementAndGet();
        }
        return super.commit(operations);
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        read(path);
        return super.read(path, watch);
    }

    @Override
    public List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        paths.forEach(this::read);
        return super.read(paths);
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
        reads.incrementAndGet();
        return super.children(path);
    }
}
