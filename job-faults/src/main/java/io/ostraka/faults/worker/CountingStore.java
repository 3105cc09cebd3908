package io.ostraka.faults.worker;

import io.ostraka.core.coordination.Node;
import io.ostraka.core.coordination.NodeOp;
import io.ostraka.core.coordination.NodeStore;
import io.ostraka.core.coordination.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what an engine asks of its store, but for the checkpoints that users' code asks for. */
final class CountingStore implements NodeStore {
    private static final String CHECKPOINT = "/checkpoint";

    private final NodeStore real;
    private final AtomicLong transactions = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();

    CountingStore(NodeStore real) {
        this.real = real;
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
    public void start(Listener listener) {
        real.start(listener);
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        if (operations.stream().noneMatch(operation -> operation.path().endsWith(CHECKPOINT))) {
            transactions.incrementAndGet();
        }
        return real.commit(operations);
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        read(path);
        return real.read(path, watch);
    }

    @Override
    public List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        paths.forEach(this::read);
        return real.read(paths);
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
        reads.incrementAndGet();
        return real.children(path);
    }

    @Override
    public CompletionStage<Void> sync() {
        return real.sync();
    }

    @Override
    public void watch(String path, boolean recursive) {
        real.watch(path, recursive);
    }

    @Override
    public void unwatch(String path) {
        real.unwatch(path);
    }

    @Override
    public void campaign(String path, String id) {
        real.campaign(path, id);
    }

    @Override
    public void resign() {
        real.resign();
    }

    @Override
    public void close() {
        real.close();
    }
}
