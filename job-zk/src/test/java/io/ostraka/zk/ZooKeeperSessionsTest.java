package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.testkit.RecordingListener;
import io.ostraka.testkit.net.Request;
import io.ostraka.testkit.net.ZooKeeperProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
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
    private final RecordingListener told = new RecordingListener();

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
        store.start(told);
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
        assertThat(told.next()).isEqualTo("connected");

        try (var client = new TestClient(server.connectString())) {
            assertThat(client.owner("/some/where/app")).isZero();
            get(store.commit(List.of(create("/jobs", NodeOp.Kind.EPHEMERAL))));
            assertThat(client.owner("/some/where/app/jobs")).isEqualTo(told.session());
            store.close();
            assertThat(client.owner("/some/where/app/jobs")).isEqualTo(-1);
        }
    }

    @Test
    void aRestartOfTheServerKeepsTheSessionItsNodesAndItsWatches() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(told.next()).isEqualTo("connected");
        long before = told.session();
        get(store.commit(List.of(
                create("/mine", NodeOp.Kind.EPHEMERAL),
                create("/latch", NodeOp.Kind.PERSISTENT),
                create("/watched", NodeOp.Kind.PERSISTENT))));
        store.watch("/watched", false);
        store.campaign("/latch", "this");
        assertThat(told.next()).startsWith("leads as /latch/");

        server.close();
        assertThat(told.next()).isEqualTo("doesn't lead");
        assertThat(told.next()).isEqualTo("suspended");
        assertThat(get(store.commit(List.of(new NodeOp.Check("/mine", 0))))).isEqualTo(new Outcome.Unknown());
        server = EmbeddedZooKeeper.start(directory, 0);

        assertThat(told.next()).isEqualTo("connected");
        assertThat(told.session()).isEqualTo(before);
        assertThat(told.next()).startsWith("leads as /latch/");
        assertThat(get(store.read("/mine", false)).map(Node::ephemeralOwner)).contains(before);
        get(store.commit(List.of(new NodeOp.Set("/watched", new byte[1], 0))));
        assertThat(told.next()).isEqualTo("changed /watched");
    }

    @Test
    void aStoreMayBeStartedBeforeItsServer() throws Exception {
        String connectString = server.connectString();
        server.close();
        start(connectString, Duration.ofSeconds(20));
        assertThat(get(store.commit(List.of(new NodeOp.Check("/", 0))))).isEqualTo(new Outcome.Unknown());

        server = EmbeddedZooKeeper.start(directory, 0);

        assertThat(told.next()).isEqualTo("connected");
        assertThat(get(store.children("/"))).isEmpty();
    }

    @Test
    void aStoreWhoseServerIsGoneCanBeClosed() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(told.next()).isEqualTo("connected");
        server.close();
        assertThat(told.next()).isEqualTo("suspended");

        store.close();

        assertThat(get(store.commit(List.of(new NodeOp.Check("/", 0))))).isEqualTo(new Outcome.Unknown());
        assertThat(told.rest()).isEmpty();
    }

    @Test
    void aStoreCanBeClosedByItsListener() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(told.next()).isEqualTo("connected");

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
        assertThat(told.next()).isEqualTo("connected");
        get(store.commit(List.of(create("/latch", NodeOp.Kind.EPHEMERAL))));
        String before = lastTransaction();

        // an ephemeral node has no children: the candidate's creation is refused, which LeaderLatch only logs
        store.campaign("/latch", "this");
        while (lastTransaction().equals(before)) {
            Thread.onSpinWait();
        }
        get(store.commit(List.of(new NodeOp.Delete("/latch", 0), create("/latch", NodeOp.Kind.PERSISTENT))));

        assertThat(told.next()).startsWith("leads as /latch/");
    }

    /** After an outage of all servers they give each session its time anew, and its owner may have given it up long before. */
    @Test
    void aSessionThatWasGivenUpHereIsEndedAtTheServersAsWell() throws Exception {
        start(server.connectString(), Duration.ofSeconds(60));
        assertThat(told.next()).isEqualTo("connected");
        long before = told.session();
        get(store.commit(List.of(create("/mine", NodeOp.Kind.EPHEMERAL))));

        store.handle().getTestable().injectSessionExpiration();

        assertThat(told.next()).isEqualTo("suspended");
        assertThat(told.next()).isEqualTo("lost");
        assertThat(told.next()).isEqualTo("connected");
        assertThat(told.session()).isNotEqualTo(before);
        long limit = System.nanoTime() + Duration.ofSeconds(40).toNanos(); // it would expire only later
        while (get(store.read("/mine", false)).isPresent()) {
            assertThat(System.nanoTime()).isLessThan(limit);
        }
    }

    /**
     * Curator gives a handle up that is about to have a connection: by its clock the outage was too long. The servers have begun
     * a session for it, which nobody here is told of, and the next handle's is the first to serve.
     */
    @Test
    void aSessionGivenUpIsEndedThoughItsSuccessorNeverServed() throws Exception {
        try (var proxy = new ZooKeeperProxy(server.port())) {
            start(proxy.connectString(), Duration.ofSeconds(60));
            assertThat(told.next()).isEqualTo("connected");
            get(store.commit(List.of(create("/mine", NodeOp.Kind.EPHEMERAL))));
            String first = Long.toHexString(told.session());
            var second = proxy.holdFrom(request -> request.has(Request.Type.CONNECT, "0"));
            var resumed = proxy.holdFrom(request -> request.has(Request.Type.CONNECT, first));
            store.handle().getTestable().injectSessionExpiration();
            get(second);

            var renewing = new Thread(store::renew);
            renewing.start();
            while (renewing.getState()
                    != Thread.State.WAITING) { // for the end of the second handle, which connects still
                Thread.onSpinWait();
            }
            proxy.heal();

            assertThat(told.next()).isEqualTo("suspended");
            assertThat(told.next()).isEqualTo("lost");
            get(resumed);
            proxy.heal();
            renewing.join();
            assertThat(told.next()).isEqualTo("connected");
            while (get(store.read("/mine", false)).isPresent()) {
                Thread.onSpinWait();
            }
        }
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
            assertThat(told.next()).isEqualTo("connected");
            get(store.commit(List.of(create("/latch", NodeOp.Kind.PERSISTENT))));
            store.campaign("/latch", "this");
            assertThat(told.next()).startsWith("leads as /latch/");
            var sessions = new ArrayList<Long>(List.of(told.session()));

            for (int i = 0; i < 3; i++) {
                proxy.cut();
                assertThat(told.next()).isEqualTo("doesn't lead");
                assertThat(told.next()).isEqualTo("suspended");
                assertThat(told.next()).isEqualTo("lost");
                proxy.heal();

                assertThat(told.next()).isEqualTo("connected");
                assertThat(sessions).doesNotContain(told.session());
                sessions.add(told.session());
                assertThat(told.next()).startsWith("leads as /latch/");
            }
            store.close();
        }
    }
}
