package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.operations.Commands;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Scenario 27 on a real server: a node that an operator edited or deleted must not stop the cluster. One cluster
 * suffers all kinds of damage in turn, and must recover completely each time.
 */
@Tag("cluster")
@Timeout(300)
@ExpectedErrors({"job 'victim' is limited", "/triggers/t-by-hand can't be read"})
class DamagedNodesOnZooKeeperTest {
    private static final Set<Integer> ITEMS = Set.of(0, 1, 2);
    private static final Runs victim = new Runs();
    private static final Runs neighbour = new Runs();
    private static Server server;
    private static SingleEngine first;
    private static SingleEngine second;
    private static ZooKeeper client;
    /** Latch for which a run of the victim's item 0 waits; null if no run should be held. */
    private static volatile CountDownLatch held;

    private static volatile CountDownLatch holding = new CountDownLatch(1);

    /** Supplies the present path of a kind of node. */
    private interface NodePath {
        String now() throws Exception;
    }

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        server = new Server(directory);
        first = engine();
        second = engine();
        var config = new ZKClientConfig();
        config.setProperty(ZKConfig.JUTE_MAXBUFFER, "8000000");
        client = new ZooKeeper(server.servers() + "/damaged", 20_000, event -> {}, false, config);
        victim.awaitMore(6, run -> true);
        neighbour.awaitMore(6, run -> true);
        new Commands(first.engine().operations())
                .amend("victim", override -> override.withJobParameter("overridden"))
                .toCompletableFuture()
                .join();
    }

    private static SingleEngine engine() {
        SingleEngine engine =
                new SingleEngine(server.store("damaged", Duration.ofSeconds(30)), Duration.ZERO, Duration.ofSeconds(1));
        engine.start();
        Schedule often = Schedule.fixedRate(Duration.ofMillis(200));
        engine.engine()
                .register(
                        victim.recording(DamagedNodesOnZooKeeperTest::checkpoint),
                        JobConfiguration.newBuilder("victim", ITEMS.size())
                                .schedule(often)
                                .build());
        engine.engine()
                .register(
                        neighbour.recording(),
                        JobConfiguration.newBuilder("neighbour", 2)
                                .schedule(often)
                                .build());
        return engine;
    }

    private static void checkpoint(ShardingContext context) throws InterruptedException {
        context.saveCheckpoint(new byte[] {1});
        CountDownLatch release = held;
        if (release != null && context.shardingItem() == 0) {
            holding.countDown();
            assertThat(release.await(90, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Waits for a run that is held until its release, and returns the path of its running node. */
    private static String heldRun() throws InterruptedException {
        holding = new CountDownLatch(1);
        held = new CountDownLatch(1);
        assertThat(holding.await(90, TimeUnit.SECONDS)).isTrue();
        return "/jobs/victim/sharding/0/running";
    }

    private static void release() {
        CountDownLatch release = held;
        held = null;
        if (release != null) {
            release.countDown();
        }
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        first.close();
        second.close();
        server.close();
        neighbour.assertNothingRanTwice();
        victim.assertNothingEndedTwice();
    }

    private static Map<String, NodePath> kinds() {
        Map<String, NodePath> kinds = new LinkedHashMap<>();
        kinds.put("config", () -> "/jobs/victim/config");
        kinds.put("override", () -> "/jobs/victim/override");
        kinds.put("plan", () -> "/jobs/victim/sharding");
        kinds.put("record", () -> "/jobs/victim/sharding/1");
        kinds.put("checkpoint", () -> "/jobs/victim/sharding/1/checkpoint");
        kinds.put("failover", () -> "/jobs/victim/failover/1");
        kinds.put("fire", () -> "/jobs/victim/fires/" + endedRun());
        kinds.put("trigger", () -> "/triggers/t-by-hand");
        kinds.put("instance", () -> "/instances/" + first.engine().instanceId().orElseThrow());
        kinds.put("unknown instance", () -> "/instances/nobody@1@0");
        kinds.put("epoch", () -> "/leader/epoch");
        return kinds;
    }

    private static String endedRun() throws InterruptedException {
        JobRun run = first.engine().trigger("victim", Map.of(), Set.of());
        run.await(Duration.ofSeconds(60));
        return run.runId();
    }

    static Stream<Arguments> garbage() {
        return kinds().entrySet().stream().flatMap(kind -> Stream.of("<xml/>", "{\"format\":4}", "[".repeat(900_000))
                .map(garbage -> Arguments.of(kind.getKey(), Named.of(shown(garbage), garbage), kind.getValue())));
    }

    static Stream<Arguments> twoMegabytes() {
        return kinds().entrySet().stream()
                .map(kind -> Arguments.of(kind.getKey(), Named.of("2 MB", "x".repeat(2_000_000)), kind.getValue()));
    }

    private static String shown(String garbage) {
        return garbage.length() > 20 ? garbage.length() + " brackets" : garbage;
    }

    static Stream<Arguments> all() {
        Map<String, NodePath> all = kinds();
        all.keySet().removeAll(List.of("trigger", "unknown instance", "failover"));
        all.put("running", DamagedNodesOnZooKeeperTest::heldRun);
        all.put("the leader's candidate", () -> "/leader/latch/" + leadersNode());
        for (String parent : List.of(
                "/jobs/victim/fires",
                "/jobs/victim/failover",
                "/jobs/victim",
                "/triggers",
                "/leader/latch",
                "/leader",
                "/instances",
                "/jobs")) {
            all.put("everything below " + parent, () -> parent);
        }
        return all.entrySet().stream().map(kind -> Arguments.of(kind.getKey(), kind.getValue()));
    }

    private static String leadersNode() throws Exception {
        return client.getChildren("/leader/latch", false).stream()
                .min((a, b) -> number(a).compareTo(number(b)))
                .orElseThrow();
    }

    private static String number(String candidate) {
        return candidate.substring(candidate.length() - 10);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource({"garbage", "twoMegabytes"})
    void clusterRepairsGarbageInNode(String kind, String garbage, NodePath nodePath) throws Exception {
        String path = nodePath.now();
        byte[] data = garbage.getBytes(StandardCharsets.UTF_8);
        try {
            client.setData(path, data, -1);
        } catch (KeeperException.NoNodeException e) {
            client.create(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        assertFullServiceAgain();
        if (path.startsWith("/instances/nobody")) {
            client.delete(path, -1);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void clusterRecoversFromDeletedNode(String kind, NodePath nodePath) throws Exception {
        try {
            String path = nodePath.now();
            if (kind.startsWith("everything below")) { // the cluster may create nodes again meanwhile
                assertThat(deleteAll(path)).as("deleted nodes of %s", path).isNotEmpty();
            } else {
                deleteAtOnce(path);
            }
        } finally {
            release();
        }
        assertFullServiceAgain();
    }

    /** Deletes a node and its descendants in one transaction, so that the cluster cannot create new ones meanwhile. */
    private static void deleteAtOnce(String path) throws Exception {
        boolean deleted = false;
        while (!deleted) {
            try {
                List<Op> all = new ArrayList<>();
                ZKUtil.listSubTreeBFS(client, path).forEach(node -> all.add(0, Op.delete(node, -1)));
                client.multi(all);
                deleted = true;
            } catch (KeeperException.NoNodeException | KeeperException.NotEmptyException e) {
                // a run started or ended meanwhile
            }
        }
    }

    /** Deletes nodes one by one, as {@code deleteall} does, and returns the deleted paths. */
    private static Set<String> deleteAll(String path) throws Exception {
        Set<String> deleted = new HashSet<>();
        for (String child : client.getChildren(path, false)) {
            try {
                deleted.addAll(deleteAll(path + "/" + child));
            } catch (KeeperException.NoNodeException e) {
                // a run or a fire ended meanwhile
            }
        }
        try {
            client.delete(path, -1);
            deleted.add(path);
        } catch (KeeperException.NotEmptyException e) {
            // a run or a fire started meanwhile
        }
        return deleted;
    }

    private static void assertFullServiceAgain() throws InterruptedException {
        for (Runs runs : List.of(victim, neighbour)) {
            int before = runs.all().size();
            runs.await(
                    "all items to run twice more",
                    all -> all.stream()
                                    .skip(before)
                                    .collect(Collectors.groupingBy(Runs.Ran::item, Collectors.counting()))
                                    .values()
                                    .stream()
                                    .filter(count -> count >= 2)
                                    .count()
                            == (runs == victim ? ITEMS.size() : 2));
        }
        Eventually.holds("good health", () -> Stream.of(first, second)
                .map(engine -> engine.engine().health())
                .allMatch(Health::good));
        JobRun run = second.engine().trigger("victim", Map.of(), Set.of());
        assertThat(run.await(Duration.ofSeconds(60))).hasSize(ITEMS.size());
    }
}
