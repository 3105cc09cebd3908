package io.ostraka.testkit;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Forwards all calls to another store. Subclasses observe or change some of the calls. Thread-safe if the other store
 * is.
 */
public class ForwardingStore implements NodeStore {
    private final NodeStore real;

    /** Creates a store that forwards to the given store. */
    public ForwardingStore(NodeStore real) {
        this.real = real;
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
    public void renew() {
        real.renew();
    }

    @Override
    public void close() {
        real.close();
    }
}
