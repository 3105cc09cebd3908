package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Node;
import io.ostraka.core.coordination.NodeOp;
import io.ostraka.core.coordination.NodeStore;
import io.ostraka.core.coordination.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * A store that changes what goes through it, for defects to be made of. What a transaction is for is told by its
 * operations; one that is left out is replaced by a check of a node that is always there, so that indices stay.
 */
class MutantStore implements NodeStore {
    private static final Pattern RECORD = Pattern.compile("/jobs/[^/]+/sharding/[^/]+");

    private final NodeStore real;

    MutantStore(NodeStore real) {
        this.real = real;
    }

    static boolean isRecord(NodeOp operation) {
        return RECORD.matcher(operation.path()).matches();
    }

    /** Whether a transaction claims items. */
    static boolean claims(List<NodeOp> operations) {
        return operations.stream()
                .anyMatch(operation ->
                        operation instanceof NodeOp.Create && operation.path().endsWith("/running"));
    }

    /** Whether a transaction ends runs: the record's version alone guards it. */
    static boolean completes(List<NodeOp> operations) {
        return operations.get(0) instanceof NodeOp.Set && isRecord(operations.get(0));
    }

    /** Whether an operation takes the leader's epoch. */
    static boolean takesEpoch(NodeOp operation) {
        return operation instanceof NodeOp.Set && operation.path().equals("/leader/epoch");
    }

    /** The same without a look at the version. */
    static NodeOp unversioned(NodeOp operation) {
        return operation instanceof NodeOp.Set set && isRecord(set)
                ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                : operation;
    }

    /** What stands for an operation that is left out. */
    static NodeOp nothing() {
        return new NodeOp.Check("/instances", NodeOp.ANY_VERSION);
    }

    @Override
    public void start(Listener listener) {
        real.start(listener);
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        return real.commit(operations);
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        return real.read(path, watch);
    }

    @Override
    public List<CompletionStage<Optional<Node>>> read(List<String> paths) {
        return real.read(paths);
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
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
