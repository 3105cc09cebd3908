package io.ostraka.zk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** A plain, blocking ZooKeeper client that is independent of the store under test. */
final class TestClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final CountDownLatch connected = new CountDownLatch(1);
    private final ZooKeeper zooKeeper;

    TestClient(String connectString) {
        this(connectString, 0, new byte[0]);
    }

    /** Joins the session of another client. */
    TestClient(String connectString, long session, byte[] password) {
        try {
            zooKeeper = new ZooKeeper(
                    connectString,
                    TIMEOUT_MILLIS,
                    event -> {
                        if (event.getState() == KeeperState.SyncConnected) {
                            connected.countDown();
                        }
                    },
                    session,
                    password);
            if (!connected.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("No connection to " + connectString);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("No connection to " + connectString, e);
        }
    }

    void create(String path, String data) {
        try {
            zooKeeper.create(
                    path, data.getBytes(StandardCharsets.UTF_8), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError("Could not create " + path, e);
        }
    }

    String data(String path) {
        try {
            return new String(zooKeeper.getData(path, false, null), StandardCharsets.UTF_8);
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError("Could not read " + path, e);
        }
    }

    /** Returns the session that owns an ephemeral node; 0 for a persistent node, -1 if the node does not exist. */
    long owner(String path) {
        try {
            var stat = zooKeeper.exists(path, false);
            return stat == null ? -1 : stat.getEphemeralOwner();
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError("Could not read " + path, e);
        }
    }

    /** Ends the session. */
    @Override
    public void close() {
        try {
            zooKeeper.close();
        } catch (InterruptedException e) {
            throw new AssertionError("Could not close", e);
        }
    }
}
