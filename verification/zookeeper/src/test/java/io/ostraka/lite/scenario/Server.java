package io.ostraka.lite.scenario;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.lite.TestingServers;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.curator.test.TestingServer;

/** A real ZooKeeper server, with clients that read its nodes. */
final class Server implements AutoCloseable {
    private final TestingServer zookeeper;

    Server(Path directory) {
        zookeeper = TestingServers.start(directory);
    }

    /** Restarts the server of a directory on the port that its clients know. */
    Server(Path directory, int port) {
        zookeeper = TestingServers.start(directory, port);
    }

    String servers() {
        return zookeeper.getConnectString();
    }

    int port() {
        return zookeeper.getPort();
    }

    ZooKeeperNodeStore store(String namespace, Duration sessionTimeout) {
        return store(servers(), namespace, sessionTimeout);
    }

    static ZooKeeperNodeStore store(String servers, String namespace, Duration sessionTimeout) {
        Duration connectionTimeout = Duration.ofSeconds(Math.min(5, sessionTimeout.toSeconds()));
        return new ZooKeeperNodeStore(
                new ZooKeeperConfig(servers, namespace, sessionTimeout, connectionTimeout, Duration.ofMillis(200)));
    }

    /** Connects a client to a namespace. */
    Bystander bystander(String namespace) throws InterruptedException {
        return new Bystander(store(namespace, Duration.ofSeconds(20)));
    }

    @Override
    public void close() {
        TestingServers.close(zookeeper);
    }

    /** A client that reads nodes, and can delete them. */
    static final class Bystander implements AutoCloseable {
        private final NodeStore store;
        /** One permit per established connection. */
        private final Semaphore connections = new Semaphore(0);
        /** One permit per change that a watch has reported, and per established connection. */
        private final Semaphore changes = new Semaphore(0);

        Bystander(NodeStore store) throws InterruptedException {
            this.store = store;
            store.start(new DeafListener() {
                @Override
                public void connected(long sessionId, Duration sessionTimeout) {
                    connections.release();
                    changes.release();
                }

                @Override
                public void changed(String path, boolean deleted) {
                    changes.release();
                }
            });
            awaitConnection();
        }

        private void awaitConnection() throws InterruptedException {
            if (!connections.tryAcquire(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no connection");
            }
        }

        /** Repeats a request until ZooKeeper answers. The faults of a test also affect the test's own client. */
        private <T> T answered(Supplier<CompletionStage<T>> request) {
            while (true) {
                try {
                    return request.get().toCompletableFuture().join();
                } catch (CompletionException e) {
                    if (!(e.getCause() instanceof CoordinationException)) {
                        throw e;
                    }
                }
                try {
                    awaitConnection(); // either a connection established since the last wait, or the next one
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        /** Returns a node; empty if it does not exist. */
        Optional<Node> node(String path) {
            return answered(() -> store.read(path, false));
        }

        /** Deletes a node of any version, as an operator does by hand. */
        void delete(String path) {
            store.commit(List.of(new NodeOp.Delete(path, NodeOp.ANY_VERSION)))
                    .toCompletableFuture()
                    .join();
        }

        /** Returns the text of a node; empty text if it does not exist. */
        String text(String path) {
            return node(path)
                    .map(Node::data)
                    .map(data -> new String(data, StandardCharsets.UTF_8))
                    .orElse("");
        }

        /** Waits until the text of a node satisfies a condition; reads the text again after each change of the node. */
        void awaitText(String path, Predicate<String> condition) throws InterruptedException {
            store.watch(path, false);
            try {
                while (!condition.test(text(path))) {
                    changes.acquire();
                }
            } finally {
                store.unwatch(path);
            }
        }

        /** Returns a path and all paths below it. */
        TreeSet<String> paths(String root) {
            TreeSet<String> all = new TreeSet<>();
            all.add(root);
            answered(() -> store.children(root))
                    .forEach(child -> all.addAll(paths(root.equals("/") ? "/" + child : root + "/" + child)));
            return all;
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
