package io.ostraka.zk;

import io.ostraka.core.tree.NodeStore;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.fixtures.NodeStoreContract;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@ExpectedErrors("a listener of the ZooKeeper store failed")
class ZooKeeperNodeStoreTest extends NodeStoreContract {
    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    @TempDir
    private static Path directory;

    /** Proxies of the stores. They are closed after the stores, because a store ends its session through its proxy. */
    private static final Map<NodeStore, ZooKeeperProxy> PROXIES = new HashMap<>();

    private static EmbeddedZooKeeper server;

    private final String namespace = "contract-" + NAMESPACES.incrementAndGet();

    @BeforeAll
    static void startServer() {
        server = EmbeddedZooKeeper.start(directory, 0);
    }

    @AfterAll
    static void stopServer() {
        PROXIES.values().forEach(ZooKeeperProxy::close);
        server.close();
    }

    @Override
    protected NodeStore create() {
        var proxy = new ZooKeeperProxy(server.port());
        var store = new ZooKeeperNodeStore(new ZooKeeperConfig(
                proxy.connectString() + "/ostraka/tests",
                namespace,
                Duration.ofSeconds(20),
                Duration.ofSeconds(10),
                Duration.ofMillis(100)));
        PROXIES.put(store, proxy);
        return store;
    }

    @Override
    protected void cut(NodeStore store) {
        PROXIES.get(store).cut();
    }

    @Override
    protected void heal(NodeStore store) {
        PROXIES.get(store).heal();
    }

    @Override
    protected void muteServer(NodeStore store) {
        PROXIES.get(store).hold(Direction.TO_CLIENT);
    }

    @Override
    protected void expire(NodeStore store) {
        cut(store); // otherwise the store might resume its session first
        ZooKeeper handle = ((ZooKeeperNodeStore) store).handle();
        new TestClient(server.connectString(), handle.getSessionId(), handle.getSessionPasswd()).close();
        heal(store);
    }
}
