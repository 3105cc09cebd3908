package io.ostraka.testkit;

import io.ostraka.core.tree.NodeStore;
import io.ostraka.fixtures.NodeStoreContract;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;

class InMemoryNodeStoreTest extends NodeStoreContract {
    private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(2, task -> {
        var thread = new Thread(task, "clients");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((on, e) -> {}); // the contract test throws on purpose
        return thread;
    });

    private final InMemoryCoordination tree = new InMemoryCoordination(() -> Instant.EPOCH.plusSeconds(1));

    @AfterAll
    static void stop() {
        EXECUTOR.shutdown();
    }

    @Override
    protected NodeStore create() {
        return tree.connect("client", EXECUTOR);
    }

    @Override
    protected void cut(NodeStore store) {
        ((InMemoryNodeStore) store).suspend();
    }

    @Override
    protected void heal(NodeStore store) {
        ((InMemoryNodeStore) store).releaseReplies();
        ((InMemoryNodeStore) store).reconnect();
    }

    @Override
    protected void muteServer(NodeStore store) {
        ((InMemoryNodeStore) store).holdReplies();
    }

    @Override
    protected void expire(NodeStore store) {
        ((InMemoryNodeStore) store).expire();
        ((InMemoryNodeStore) store).reconnect();
    }

    @Override
    protected int randomSequences() {
        return 100;
    }
}
