package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how a server wraps the version of a node; the engine's rule for version -1 depends on it. */
@Tag("cluster")
class VersionWrapOnServerTest {
    private static final byte[] DATA = {1};
    private static final String PATH = "/node";

    private ZooKeeperServer server;
    private ServerCnxnFactory connections;
    private ZooKeeper client;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        server = new ZooKeeperServer(directory.toFile(), directory.toFile(), 500);
        connections = ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        connections.startup(server);
        CountDownLatch connected = new CountDownLatch(1);
        String address = InetAddress.getLoopbackAddress().getHostAddress() + ":" + connections.getLocalPort();
        client = new ZooKeeper(address, 10_000, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        client.create(PATH, DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        connections.shutdown();
    }

    private void age(int version) {
        server.getZKDatabase().getDataTree().getNode(PATH).stat.setVersion(version);
    }

    private int set(int version) throws Exception {
        return client.setData(PATH, DATA, version).getVersion();
    }

    @Test
    void versionsWrapAndServerComparesNegativeOnes() throws Exception {
        age(Integer.MAX_VALUE);

        assertThat(set(Integer.MAX_VALUE)).isEqualTo(Integer.MIN_VALUE);
        assertThatThrownBy(() -> set(-3)).isInstanceOf(KeeperException.BadVersionException.class);
    }

    @Test
    void serverReachesVersionMinusOneButDoesNotCompareIt() throws Exception {
        age(-2);

        assertThat(set(-2)).isEqualTo(-1);
        assertThat(set(-1)).isZero();
        assertThat(set(-1)).isEqualTo(1);
        client.multi(List.of(Op.check(PATH, -1)));
    }

    @Test
    void transactionThatWritesTwiceSkipsMinusOne() throws Exception {
        age(-2);
        List<Op> twice = List.of(Op.setData(PATH, DATA, -2), Op.setData(PATH, DATA, -1));
        client.multi(twice);

        assertThat(client.exists(PATH, false).getVersion()).isZero();
        assertThatThrownBy(() -> client.multi(twice)).isInstanceOf(KeeperException.BadVersionException.class);
    }
}
