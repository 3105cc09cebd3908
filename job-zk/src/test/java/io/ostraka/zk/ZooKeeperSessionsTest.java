package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Node;
import io.ostraka.core.coordination.NodeOp;
import io.ostraka.core.coordination.NodeStore;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.testkit.net.ZooKeeperProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to sessions when servers go and come back, and what is on the server at the end. */
@Tag("cluster")
class ZooKeeperSessionsTest {
    @TempDir
    private Path directory;

    private EmbeddedZooKeeper server;
    private ZooKeeperNodeStore store;
    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
    private volatile long session;

    @BeforeEach
    void startServer() {
        server = EmbeddedZooKeeper.start(directory, 0);
    }

    @AfterEach
    void stop() {
        if (store != null) {
            store.close();
        }
        server.close();
    }

    private void start(String connectString, Duration sessionTimeout) {
        store = new ZooKeeperNodeStore(new ZooKeeperConfig(
                connectString, "app", sessionTimeout, Duration.ofSeconds(3), Duration.ofMillis(100)));
        store.start(new NodeStore.Listener() {
            @Override
            public void connected(long sessionId, Duration timeout) {
                session = sessionId;
                told.add("connected");
            }

            @Override
            public void suspended() {
                told.add("suspended");
            }

            @Override
            public void lost() {
                told.add("lost");
            }

            @Override
            public void changed(String path) {
                told.add("changed " + path);
            }

            @Override
            public void leadership(Optional<String> candidate) {
                told.add(candidate.isPresent() ? "leads" : "doesn't lead");
            }
        });
    }

    private String next() throws InterruptedException {
        return told.poll(60, TimeUnit.SECONDS);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static NodeOp create(String path, NodeOp.Kind kind) {
        return new NodeOp.Create(path, new byte[0], kind);
    }

    @Test
    void theRootAndAllAboveItIsThereForGoodWhenAConnectionIsTold() throws Exception {
        start(server.connectString() + "/some/where", Duration.ofSeconds(20));
        assertThat(next()).isEqualTo("connected");

        try (var client = new TestClient(server.connectString())) {
            assertThat(client.owner("/some/where/app")).isZero();
            get(store.commit(List.of(create("/jobs", NodeOp.Kind.EPHEMERAL))));
            assertThat(client.owner("/some/where/app/jobs")).isEqualTo(session);
            store.close();
            assertThat(client.owner("/some/where/app/jobs")).isEqualTo(-1);
        }
    }

    @Test
    void aRestartOfTheServerKeepsTheSessionItsNodesAndItsWatches() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(next()).isEqualTo("connected");
        long before = session;
        get(store.commit(List.of(
                create("/mine", NodeOp.Kind.EPHEMERAL),
                create("/latch", NodeOp.Kind.PERSISTENT),
                create("/watched", NodeOp.Kind.PERSISTENT))));
        store.watch("/watched", false);
        store.campaign("/latch", "this");
        assertThat(next()).isEqualTo("leads");

        server.close();
        assertThat(next()).isEqualTo("doesn't lead");
        assertThat(next()).isEqualTo("suspended");
        assertThat(get(store.commit(List.of(new NodeOp.Check("/mine", 0))))).isEqualTo(new Outcome.Unknown());
        server = EmbeddedZooKeeper.start(directory, 0);

        assertThat(next()).isEqualTo("connected");
        assertThat(session).isEqualTo(before);
        assertThat(next()).isEqualTo("leads");
        assertThat(get(store.read("/mine", false)).map(Node::ephemeralOwner)).contains(before);
        get(store.commit(List.of(new NodeOp.Set("/watched", new byte[1], 0))));
        assertThat(next()).isEqualTo("changed /watched");
    }

    @Test
    void aStoreMayBeStartedBeforeItsServer() throws Exception {
        String connectString = server.connectString();
        server.close();
        start(connectString, Duration.ofSeconds(20));
        assertThat(get(store.commit(List.of(new NodeOp.Check("/", 0))))).isEqualTo(new Outcome.Unknown());

        server = EmbeddedZooKeeper.start(directory, 0);

        assertThat(next()).isEqualTo("connected");
        assertThat(get(store.children("/"))).isEmpty();
    }

    @Test
    void aStoreWhoseServerIsGoneCanBeClosed() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(next()).isEqualTo("connected");
        server.close();
        assertThat(next()).isEqualTo("suspended");

        store.close();

        assertThat(get(store.commit(List.of(new NodeOp.Check("/", 0))))).isEqualTo(new Outcome.Unknown());
        assertThat(told).isEmpty();
    }

    @Test
    void aStoreCanBeClosedByItsListener() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(next()).isEqualTo("connected");

        Outcome committed = get(
                store.commit(List.of(create("/mine", NodeOp.Kind.EPHEMERAL))).thenApply(outcome -> {
                    store.close();
                    return outcome;
                }));

        assertThat(committed).isInstanceOf(Outcome.Committed.class);
        try (var client = new TestClient(server.connectString())) {
            assertThat(client.owner("/app/mine")).isEqualTo(-1);
        }
    }

    @Test
    void whoseCandidateCouldNotBeCreatedStandsAgain() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(next()).isEqualTo("connected");
        get(store.commit(List.of(create("/latch", NodeOp.Kind.EPHEMERAL))));
        String before = lastTransaction();

        // an ephemeral node has no children: the candidate's creation is refused, which LeaderLatch only logs
        store.campaign("/latch", "this");
        while (lastTransaction().equals(before)) {
            Thread.onSpinWait();
        }
        get(store.commit(List.of(new NodeOp.Delete("/latch", 0), create("/latch", NodeOp.Kind.PERSISTENT))));

        assertThat(next()).isEqualTo("leads");
    }

    /** A refused transaction counts too. */
    private String lastTransaction() throws IOException {
        return EmbeddedZooKeeperTest.command(server, "srvr")
                .lines()
                .filter(line -> line.startsWith("Zxid"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whoIsWithoutAConnectionForASessionsTimeGetsAnotherSession() throws Exception {
        try (var proxy = new ZooKeeperProxy(server.port())) {
            start(proxy.connectString(), Duration.ofSeconds(1));
            assertThat(next()).isEqualTo("connected");
            get(store.commit(List.of(create("/latch", NodeOp.Kind.PERSISTENT))));
            store.campaign("/latch", "this");
            assertThat(next()).isEqualTo("leads");
            var sessions = new ArrayList<Long>(List.of(session));

            for (int i = 0; i < 3; i++) {
                proxy.cut();
                assertThat(next()).isEqualTo("doesn't lead");
                assertThat(next()).isEqualTo("suspended");
                assertThat(next()).isEqualTo("lost");
                proxy.heal();

                assertThat(next()).isEqualTo("connected");
                assertThat(sessions).doesNotContain(session);
                sessions.add(session);
                assertThat(next()).isEqualTo("leads");
            }
            store.close();
        }
    }
}
