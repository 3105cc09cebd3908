package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.NamespaceSummary;
import io.ostraka.lite.OperationsBuilder;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the list of namespaces on a server that also stores nodes of other software. */
@Tag("cluster")
@Timeout(120)
class NamespacesTest {
    private static final SimpleJob NOTHING = context -> {};
    private static final List<ACL> OPEN = ZooDefs.Ids.OPEN_ACL_UNSAFE;
    private static final List<ACL> OWN = ZooDefs.Ids.CREATOR_ALL_ACL;
    private static final Secret PASSWORD = "of-a-test"::toCharArray;
    private static final int FOREIGN = 20;
    private static final long MOST_FOR_TWENTY = 60;

    @TempDir
    Path directory;

    private CountingServer server;
    private ZooKeeper other;

    @BeforeEach
    void start() throws Exception {
        server = new CountingServer(directory);
        CountDownLatch connected = new CountDownLatch(1);
        other = new ZooKeeper(server.servers(), 20_000, event -> connected.countDown());
        connected.await();
        other.addAuthInfo("digest", "app:of-a-test".getBytes(StandardCharsets.UTF_8));
    }

    @AfterEach
    void stop() throws Exception {
        other.close();
        server.close();
    }

    private OperationsBuilder observer() {
        return ZooKeeperOperations.newBuilder(server.servers());
    }

    private static void schedule(ZooKeeperRegistry registry, int jobs) {
        for (int i = 0; i < jobs; i++) {
            JobConfiguration job = JobConfiguration.newBuilder("job-" + i, 1)
                    .schedule(Schedule.cron("0 0 3 1 1 ? 2099"))
                    .build();
            registry.schedule(NOTHING, job).scheduled().toCompletableFuture().join();
        }
    }

    /** Creates nodes as other software would. */
    private void create(List<ACL> rights, String... paths) throws Exception {
        for (String path : paths) {
            other.create(path, "not ours".getBytes(StandardCharsets.UTF_8), rights, CreateMode.PERSISTENT);
        }
    }

    /** Creates the nodes that mark a namespace. */
    private void createNamespace(List<ACL> rights, String root) throws Exception {
        create(rights, root, root + "/instances", root + "/jobs", root + "/leader");
        other.create(root + "/leader/epoch", new byte[0], rights, CreateMode.PERSISTENT);
    }

    private static long total(CountingServer server) {
        return server.requests().values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void eachNamespaceIsListedWithItsSizeAndNodesOfOtherSoftwareAreNot() throws Exception {
        for (int i = 0; i < FOREIGN; i++) {
            create(OPEN, "/foreign-" + i, "/foreign-" + i + "/jobs", "/foreign-" + i + "/instances");
        }
        try (ZooKeeperRegistry orders = ZooKeeperRegistry.connect(server.servers(), "orders");
                ZooKeeperRegistry second = ZooKeeperRegistry.newBuilder(server.servers(), "orders")
                        .instanceName("second")
                        .connect();
                ZooKeeperRegistry billing = ZooKeeperRegistry.connect(server.servers(), "billing")) {
            schedule(orders, 2);
            schedule(second, 1);
            schedule(billing, 1);
            Operator.execute(billing, new Command.Freeze(null));
            try (ZooKeeperRegistry closed = ZooKeeperRegistry.connect(server.servers(), "closed")) {
                schedule(closed, 1);
            }

            assertThat(observer().namespaces())
                    .containsExactly(
                            new NamespaceSummary("billing", true, 1, 1, true, null),
                            new NamespaceSummary("closed", true, 0, 1, false, null),
                            new NamespaceSummary("orders", true, 2, 2, false, null));
        }
    }

    @Test
    void theListReadsFewNodesOfEachNamespaceAndNoneOfItsJobs() throws Exception {
        for (int i = 0; i < 20; i++) {
            createNamespace(OPEN, "/orders-" + i);
            for (int job = 0; job < 100; job++) {
                create(OPEN, "/orders-" + i + "/jobs/job-" + job);
            }
            create(OPEN, "/foreign-" + i, "/foreign-" + i + "/jobs");
        }
        int nodes = server.nodes();
        server.reset();

        assertThat(observer().namespaces()).hasSize(20).allSatisfy(each -> assertThat(each.jobs())
                .isEqualTo(100));

        Map<String, Long> requests = new TreeMap<>(server.requests());
        requests.values().removeIf(count -> count == 0);
        assertThat(requests).containsOnlyKeys("read", "children");
        assertThat(total(server)).as("requests: %s", requests).isLessThanOrEqualTo(MOST_FOR_TWENTY);
        assertThat(server.nodes()).isEqualTo(nodes);
        assertThat(server.sessions()).as("sessions left").isEqualTo(1);
    }

    @Test
    void forbiddenNamespacesAreListedAndForbiddenNodesOfOtherSoftwareAreNot() throws Exception {
        create(OWN, "/foreign", "/foreign/instances", "/foreign/jobs");
        create(OWN, "/elastic", "/elastic/job", "/elastic/job/instances", "/elastic/job/leader");
        createNamespace(OWN, "/closed");
        createNamespace(OPEN, "/half-closed");
        other.setACL("/half-closed/jobs", OWN, -1);

        assertThat(observer().namespaces())
                .allSatisfy(each -> assertThat(each.readable()).isFalse())
                .extracting(NamespaceSummary::name)
                .containsExactly("closed", "half-closed");
        assertThat(observer().digest("app", PASSWORD).namespaces())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.problem()).isNull());
    }

    @Test
    void forbiddenChrootIsNamedAndTheSessionEnds() throws Exception {
        create(OWN, "/teams");

        assertThat(Attempts.failure(() -> observer().chroot("/teams").namespaces()))
                .contains("/teams");
        assertThat(server.sessions()).as("sessions left").isEqualTo(1);
    }

    @Test
    void namespaceOfOtherCredentialsIsListedAsForbidden() throws Exception {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(server.servers(), "secret")
                .digest("app", PASSWORD)
                .connect()) {
            schedule(registry, 1);

            assertThat(observer().namespaces()).singleElement().satisfies(each -> {
                assertThat(each.name()).isEqualTo("secret");
                assertThat(each.readable()).isFalse();
                assertThat(each.problem()).contains("/secret");
            });
            assertThat(observer().digest("app", PASSWORD).namespaces())
                    .containsExactly(new NamespaceSummary("secret", true, 1, 1, false, null));
        }
    }

    @Test
    void nodesWithTheSameNamesAndOtherContentAreReportedAsDamaged() throws Exception {
        create(
                OPEN,
                Stream.of("", "/instances", "/instances/x", "/jobs", "/jobs/not a job", "/leader", "/leader/epoch")
                        .map(path -> "/odd" + path)
                        .toArray(String[]::new));

        assertThat(observer().namespaces()).singleElement().satisfies(each -> {
            assertThat(each.instances()).isZero();
            assertThat(each.jobs()).isZero();
            assertThat(each.problem()).contains("/odd/instances/x");
        });
    }

    @Test
    void onlyNamespacesBelowTheChrootAreListed() throws Exception {
        try (ZooKeeperRegistry inside = ZooKeeperRegistry.newBuilder(server.servers(), "orders")
                        .chroot("/teams/a")
                        .connect();
                ZooKeeperRegistry outside = ZooKeeperRegistry.connect(server.servers(), "outside")) {
            schedule(inside, 1);
            schedule(outside, 1);

            assertThat(observer().chroot("/teams/a").namespaces())
                    .extracting(NamespaceSummary::name)
                    .containsExactly("orders");
            assertThat(observer().namespaces())
                    .extracting(NamespaceSummary::name)
                    .containsExactly("outside");
        }
    }

    @Test
    void missingChrootIsAnErrorAndAnEmptyEnsembleIsNot() {
        assertThat(observer().namespaces()).isEmpty();
        assertThat(Attempts.failure(() -> observer().chroot("/teams/b").namespaces()))
                .contains("/teams/b", "does not exist");
        assertThat(server.children("/")).doesNotContain("teams");
    }

    @Test
    void serverThatDoesNotAnswerIsNamed() {
        String servers = server.servers();
        server.close();

        assertThat(Attempts.failure(() -> ZooKeeperOperations.newBuilder(servers)
                        .operationTimeout(Duration.ofMillis(300))
                        .namespaces()))
                .contains(servers);
    }
}
