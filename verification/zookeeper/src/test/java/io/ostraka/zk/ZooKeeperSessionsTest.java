package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.fixtures.CapturedLog;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.RecordingListener;
import io.ostraka.fixtures.net.Request;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.imps.CuratorFrameworkImpl;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LocationAwareLogger;

/** Tests sessions across restarts of servers, and the nodes that remain on the server. */
@Tag("cluster")
class ZooKeeperSessionsTest {
    private static final int CANDIDATES = 4;

    @TempDir
    private Path directory;

    private EmbeddedZooKeeper server;
    private ZooKeeperNodeStore store;
    private final RecordingListener reports = new RecordingListener();

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
        store.start(reports);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static NodeOp create(String path, NodeOp.Kind kind) {
        return new NodeOp.Create(path, new byte[0], kind);
    }

    @Test
    void rootAndParentsArePersistentWhenConnectionIsReported() throws Exception {
        start(server.connectString() + "/some/where", Duration.ofSeconds(20));
        assertThat(reports.next()).isEqualTo("connected");

        try (var client = new TestClient(server.connectString())) {
            assertThat(client.owner("/some/where/app")).isZero();
            get(store.commit(List.of(create("/jobs", NodeOp.Kind.EPHEMERAL))));
            assertThat(client.owner("/some/where/app/jobs")).isEqualTo(reports.session());
            store.close();
            assertThat(client.owner("/some/where/app/jobs")).isEqualTo(-1);
        }
    }

    @Test
    void serverRestartKeepsSessionItsNodesAndWatches() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(reports.next()).isEqualTo("connected");
        long before = reports.session();
        get(store.commit(List.of(
                create("/mine", NodeOp.Kind.EPHEMERAL),
                create("/latch", NodeOp.Kind.PERSISTENT),
                create("/watched", NodeOp.Kind.PERSISTENT))));
        store.watch("/watched", false);
        store.campaign("/latch", "this");
        assertThat(reports.next()).startsWith("leads as /latch/");

        server.close();
        assertThat(reports.next()).isEqualTo("doesn't lead");
        assertThat(reports.next()).isEqualTo("suspended");
        assertThat(get(store.commit(List.of(new NodeOp.Check("/mine", 0))))).isEqualTo(new Outcome.Unknown());
        server = EmbeddedZooKeeper.start(directory, 0);

        assertThat(reports.next()).isEqualTo("connected");
        assertThat(reports.session()).isEqualTo(before);
        assertThat(reports.next()).startsWith("leads as /latch/");
        assertThat(get(store.read("/mine", false)).map(Node::ephemeralOwner)).contains(before);
        get(store.commit(List.of(new NodeOp.Set("/watched", new byte[1], 0))));
        assertThat(reports.next()).isEqualTo("changed /watched");
    }

    @Test
    void storeMayStartBeforeItsServer() throws Exception {
        String connectString = server.connectString();
        server.close();
        start(connectString, Duration.ofSeconds(20));
        assertThat(get(store.commit(List.of(new NodeOp.Check("/", 0))))).isEqualTo(new Outcome.Unknown());

        server = EmbeddedZooKeeper.start(directory, 0);

        assertThat(reports.next()).isEqualTo("connected");
        assertThat(get(store.children("/"))).isEmpty();
        assertThat(store.trouble()).isEmpty();
    }

    @Test
    void storeCanBeClosedWithoutServer() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(reports.next()).isEqualTo("connected");
        server.close();
        assertThat(reports.next()).isEqualTo("suspended");

        store.close();

        assertThat(get(store.commit(List.of(new NodeOp.Check("/", 0))))).isEqualTo(new Outcome.Unknown());
        assertThat(reports.rest()).isEmpty();
    }

    @Test
    void storeCanBeClosedInCallback() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(reports.next()).isEqualTo("connected");

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
    void storeCampaignsAgainAfterCandidateIsRefused() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(reports.next()).isEqualTo("connected");
        get(store.commit(List.of(create("/latch", NodeOp.Kind.EPHEMERAL))));
        String before = lastTransaction();

        // an ephemeral node has no children: the server refuses the candidate, and LeaderLatch only logs it
        store.campaign("/latch", "this");
        Eventually.holds(
                "the refusal of the candidate", () -> !lastTransaction().equals(before));
        get(store.commit(List.of(new NodeOp.Delete("/latch", 0), create("/latch", NodeOp.Kind.PERSISTENT))));

        assertThat(reports.next()).startsWith("leads as /latch/");
    }

    /**
     * After an outage of all servers, the timeout of each session starts anew, even if the session's client has given
     * it up long before.
     */
    @Test
    void sessionGivenUpByClientIsEndedAtServers() throws Exception {
        start(server.connectString(), Duration.ofSeconds(60));
        assertThat(reports.next()).isEqualTo("connected");
        long before = reports.session();
        get(store.commit(List.of(create("/mine", NodeOp.Kind.EPHEMERAL))));

        store.handle().getTestable().injectSessionExpiration();

        assertThat(reports.next()).isEqualTo("suspended");
        assertThat(reports.next()).isEqualTo("lost");
        assertThat(reports.next()).isEqualTo("connected");
        assertThat(reports.session()).isNotEqualTo(before);
        long limit = System.nanoTime() + Duration.ofSeconds(40).toNanos(); // the session itself would expire later
        while (get(store.read("/mine", false)).isPresent()) {
            assertThat(System.nanoTime()).isLessThan(limit);
        }
    }

    /**
     * By Curator's clock the outage was too long, so Curator gives up a handle that is just connecting. The servers
     * have opened a session for this handle, but the store never learns of that session. Only the session of the next
     * handle answers requests.
     */
    @Test
    void sessionGivenUpIsEndedThoughSuccessorNeverServed() throws Exception {
        try (var proxy = new ZooKeeperProxy(server.port())) {
            start(proxy.connectString(), Duration.ofSeconds(60));
            assertThat(reports.next()).isEqualTo("connected");
            get(store.commit(List.of(create("/mine", NodeOp.Kind.EPHEMERAL))));
            String first = Long.toHexString(reports.session());
            var second = proxy.holdFrom(request -> request.has(Request.Type.CONNECT, "0"));
            var resumed = proxy.holdFrom(request -> request.has(Request.Type.CONNECT, first));
            store.handle().getTestable().injectSessionExpiration();
            get(second);

            var renewing = new Thread(store::replaceHandle);
            renewing.start();
            // it waits for the end of the second handle, which is still connecting
            Eventually.holds("renewal to wait", () -> renewing.getState() == Thread.State.WAITING);
            proxy.heal();

            assertThat(reports.next()).isEqualTo("suspended");
            assertThat(reports.next()).isEqualTo("lost");
            get(resumed);
            proxy.heal();
            renewing.join();
            assertThat(reports.next()).isEqualTo("connected");
            Eventually.holds(
                    "end of the node", () -> get(store.read("/mine", false)).isEmpty());
        }
    }

    /** Returns the last transaction id, which advances with a refused transaction too. */
    private String lastTransaction() throws IOException {
        return EmbeddedZooKeeperTest.command(server, "srvr")
                .lines()
                .filter(line -> line.startsWith("Zxid"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void getsNewSessionAfterDisconnectionLongerThanTimeout() throws Exception {
        try (var proxy = new ZooKeeperProxy(server.port())) {
            start(proxy.connectString(), Duration.ofSeconds(6));
            assertThat(reports.next()).isEqualTo("connected");
            get(store.commit(List.of(create("/latch", NodeOp.Kind.PERSISTENT))));
            store.campaign("/latch", "this");
            assertThat(reports.next()).startsWith("leads as /latch/");
            var sessions = new ArrayList<Long>(List.of(reports.session()));

            for (int i = 0; i < 3; i++) {
                proxy.cut();
                assertThat(reports.next()).isEqualTo("doesn't lead");
                assertThat(reports.next()).isEqualTo("suspended");
                assertThat(reports.next()).isEqualTo("lost");
                proxy.heal();

                assertThat(reports.next()).isEqualTo("connected");
                assertThat(sessions).doesNotContain(reports.session());
                sessions.add(reports.session());
                assertThat(reports.next()).startsWith("leads as /latch/");
            }
            store.close();
        }
    }

    /** A reply to LeaderLatch must not meet a client that is closed: Curator would log an error in each graceful stop. */
    @Test
    void candidatesThatCloseTogetherLogNoError() throws Exception {
        start(server.connectString(), Duration.ofSeconds(20));
        assertThat(reports.next()).isEqualTo("connected");
        get(store.commit(List.of(create("/latch", NodeOp.Kind.PERSISTENT))));
        ExecutorService closing = Executors.newFixedThreadPool(CANDIDATES);
        List<Logger> curators = List.of(
                LoggerFactory.getLogger(LeaderLatch.class), LoggerFactory.getLogger(CuratorFrameworkImpl.class));
        int off = level(curators.get(0));
        for (Logger each : curators) {
            setLevel(each, LocationAwareLogger.ERROR_INT);
        }
        try (var log = new CapturedLog()) {
            for (int round = 0; round < 20; round++) {
                var candidates = new ArrayList<ZooKeeperNodeStore>();
                for (int i = 0; i < CANDIDATES; i++) {
                    var candidate = new ZooKeeperNodeStore(new ZooKeeperConfig(
                            server.connectString(),
                            "app",
                            Duration.ofSeconds(20),
                            Duration.ofSeconds(3),
                            Duration.ofMillis(100)));
                    candidates.add(candidate);
                    var listener = new RecordingListener();
                    candidate.start(listener);
                    assertThat(listener.next()).isEqualTo("connected");
                    candidate.campaign("/latch", "candidate " + i);
                }
                Eventually.holds(
                        "all candidates", () -> get(store.children("/latch")).size() == CANDIDATES);
                List<Future<?>> closed = new ArrayList<>();
                for (ZooKeeperNodeStore candidate : candidates) {
                    closed.add(closing.submit(() -> {
                        candidate.resign();
                        candidate.close();
                    }));
                }
                for (Future<?> each : closed) {
                    each.get(60, TimeUnit.SECONDS);
                }
                assertThat(get(store.children("/latch"))).isEmpty();
            }
            assertThat(log.lines("ERROR")).isEmpty();
        } finally {
            closing.shutdownNow();
            for (Logger each : curators) {
                setLevel(each, off);
            }
        }
    }

    private static int level(Logger logger) throws ReflectiveOperationException {
        return levelField(logger).getInt(logger);
    }

    /** Sets the level of one logger, which SimpleLogger offers only before the logger is created. */
    private static void setLevel(Logger logger, int level) throws ReflectiveOperationException {
        levelField(logger).setInt(logger, level);
    }

    private static Field levelField(Logger logger) throws ReflectiveOperationException {
        Field field = logger.getClass().getDeclaredField("currentLogLevel");
        field.setAccessible(true);
        return field;
    }
}
