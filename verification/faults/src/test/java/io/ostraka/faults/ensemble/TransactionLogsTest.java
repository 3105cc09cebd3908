package io.ostraka.faults.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.TcpProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the merged logs of the servers match the state of the servers. */
@Tag("cluster")
@Timeout(240)
class TransactionLogsTest {
    private static final byte[] NOTHING = {};

    private Ensemble ensemble;
    private Client client;
    private Path directory;

    @BeforeEach
    void start(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws IOException {
        this.directory = directory;
        ensemble = Ensemble.start(directory);
        client = new Client(ensemble.servers());
    }

    @AfterEach
    void end() {
        client.close();
        ensemble.close();
    }

    /** Returns the nodes after a history. */
    private static Map<String, String> tree(List<Event.Transaction> history) {
        Map<String, String> nodes = new TreeMap<>();
        for (Event.Transaction transaction : history) {
            for (Write write : transaction.writes()) {
                if (!(write instanceof Write.Deleted)) {
                    nodes.put(write.path(), write.data());
                } else {
                    nodes.remove(write.path());
                }
            }
        }
        return nodes;
    }

    private static Event.Transaction only(List<Event.Transaction> history, Write write) {
        List<Event.Transaction> all = history.stream()
                .filter(transaction -> transaction.writes().contains(write))
                .toList();
        assertThat(all).as("transactions with %s", write).hasSize(1);
        return all.get(0);
    }

    @Test
    void transactionsContainWritesOfNamespaceUnlessFailed() throws Exception {
        CuratorFramework curator = client.curator;
        client.write("/app/a", "1");
        client.write("/other/a", "1");

        curator.transaction()
                .forOperations(
                        curator.transactionOp().check().withVersion(0).forPath("/app/a"),
                        curator.transactionOp().setData().withVersion(0).forPath("/app/a", "2".getBytes()),
                        curator.transactionOp().create().forPath("/app/b", "new".getBytes()),
                        curator.transactionOp().setData().forPath("/other/a", "2".getBytes()));
        try {
            curator.transaction()
                    .forOperations(
                            curator.transactionOp().setData().forPath("/app/a", "3".getBytes()),
                            curator.transactionOp().check().withVersion(7).forPath("/app/b"));
        } catch (KeeperException.BadVersionException e) {
            // expected
        }
        curator.transaction().forOperations(curator.transactionOp().check().forPath("/app/a"));
        curator.create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath("/app/number-", NOTHING);
        curator.delete().forPath("/app/b");
        long own = client.session(); // the ensemble's own status requests have other sessions

        List<Event.Transaction> history = ensemble.transactionLogs().of("app").stream()
                .filter(transaction -> transaction.session() == own)
                .toList();
        assertThat(history.stream().map(Event.Transaction::writes))
                .containsExactly(
                        List.of(new Write.Created("/a", "1", false)),
                        List.of(new Write.Changed("/a", "2"), new Write.Created("/b", "new", false)),
                        List.of(new Write.Created("/number-0000000002", "", false)),
                        List.of(new Write.Deleted("/b")));
        assertThat(history).allMatch(transaction -> !transaction.endsSession());
        assertThat(history.get(1).zxid())
                .isEqualTo(curator.checkExists().forPath("/app/a").getMzxid());
        assertThat(history.get(1).at().toEpochMilli())
                .isEqualTo(curator.checkExists().forPath("/app/a").getMtime());
        assertThat(tree(history)).isEqualTo(client.below("/app"));
    }

    @Test
    void endOfSessionDeletesItsEphemeralNodes() throws Exception {
        client.write("/app", "");
        long closed;
        try (Client leaves = new Client(ensemble.servers())) {
            leaves.curator.create().withMode(CreateMode.EPHEMERAL).forPath("/app/leaves", NOTHING);
            closed = leaves.session();
            leaves.curator.create().withMode(CreateMode.EPHEMERAL).forPath("/app/deleted", NOTHING);
            leaves.curator.delete().forPath("/app/deleted");
        }
        long expired;
        CountDownLatch connected = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        try (TcpProxy proxy = new TcpProxy(ensemble.port(0));
                ZooKeeper cutOff = new ZooKeeper(proxy.connectString(), 6_000, event -> connected.countDown())) {
            assertThat(connected.await(90, TimeUnit.SECONDS)).isTrue();
            cutOff.create("/app/cut-off-1", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            cutOff.create("/app/cut-off-2", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            expired = cutOff.getSessionId();
            client.curator
                    .checkExists()
                    .usingWatcher((Watcher) event -> gone.countDown())
                    .forPath("/app/cut-off-1");
            proxy.hold(Direction.TO_SERVER);
            assertThat(gone.await(90, TimeUnit.SECONDS)).isTrue();
            proxy.heal();
        }

        List<Event.Transaction> history = ensemble.transactionLogs().of("app");
        assertThat(only(history, new Write.Created("/cut-off-1", "", true)).session())
                .isEqualTo(expired);
        Event.Transaction closing = only(history, new Write.Deleted("/leaves"));
        assertThat(closing.session()).isEqualTo(closed);
        assertThat(closing.endsSession()).isTrue();
        assertThat(closing.writes()).containsExactly(new Write.Deleted("/leaves"));
        assertThat(only(history, new Write.Deleted("/deleted")).endsSession()).isFalse();
        Event.Transaction expiring = only(history, new Write.Deleted("/cut-off-2"));
        assertThat(expiring.session()).isEqualTo(expired);
        assertThat(expiring.endsSession()).isTrue();
        assertThat(expiring.writes()).containsExactly(new Write.Deleted("/cut-off-1"), new Write.Deleted("/cut-off-2"));
    }

    @Test
    void proposalOnlyInLogOfKilledLeaderIsNotInHistory() throws Exception {
        client.write("/app/kept", "1");
        int leader = ensemble.awaitLeader();
        List<Integer> followers = IntStream.range(0, ensemble.size())
                .filter(server -> server != leader)
                .boxed()
                .toList();
        try (ZooKeeper alone = new ZooKeeper(ensemble.server(leader), 30_000, event -> {})) {
            alone.exists("/app/kept", false);
            followers.forEach(ensemble::stop);
            alone.create("/app/lost", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, (code, a, b, c) -> {}, null);
            Eventually.holds("the leader's log", () -> logged(leader, "/app/lost"));
            ensemble.kill(leader);
        }
        followers.forEach(ensemble::kill); // so that the followers lose the proposal in their sockets
        followers.forEach(ensemble::start);
        client.write("/app/kept", "2");
        ensemble.start(leader);
        ensemble.awaitServing();
        client.write("/app/kept", "3");

        assertThat(logged(leader, "/app/lost")).as("still in its log").isTrue();
        List<Event.Transaction> history = ensemble.transactionLogs().of("app");
        assertThat(history.stream().flatMap(transaction -> transaction.writes().stream()))
                .containsExactly(
                        new Write.Created("/kept", "1", false),
                        new Write.Changed("/kept", "2"),
                        new Write.Changed("/kept", "3"));
        assertThat(client.below("/app")).isEqualTo(tree(history));
    }

    private boolean logged(int server, String path) throws IOException {
        return ServerLog.read(directory.resolve("ensemble-1/server-" + server)).stream()
                .anyMatch(transaction -> String.valueOf(transaction.content()).contains(path));
    }

    /** In this test, servers die or stop at random moments. */
    @Test
    void historyEndsWithTreeOfTheServers() throws Exception {
        long seed = Long.getLong("ostraka.seed", System.nanoTime());
        System.out.println("ostraka.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        client.write("/app", "");
        try (Writers writers = new Writers(ensemble.servers(), 4)) {
            for (int round = 0; round < Integer.getInteger("ostraka.rounds", 4); round++) {
                int leader = ensemble.awaitLeader();
                int server = random.nextInt(ensemble.size());
                switch (random.nextInt(6)) {
                    case 0 -> ensemble.kill(leader);
                    case 1 -> ensemble.stop(leader);
                    case 2 -> ensemble.kill(server);
                    case 3 -> ensemble.stop(server);
                    case 4 -> ensemble.slowDisk(server, Duration.ofMillis(random.nextInt(1_000)));
                    default -> {
                        IntStream.range(0, ensemble.size()).forEach(ensemble::kill);
                        ensemble.heal();
                    }
                }
                writers.awaitMore(random.nextInt(50));
                ensemble.kill(random.nextInt(ensemble.size())); // possibly without a majority from now on
                ensemble.heal();
            }
            writers.awaitMore(10);
        }
        ensemble.awaitServing();

        assertThat(tree(ensemble.transactionLogs().of("app"))).isEqualTo(client.below("/app"));
    }
}
