package io.ostraka.lite.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.Tls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.Test;

/** Tests a namespace that requires credentials, for clients with and without them. */
class ClosedNamespaceTest extends SecuredTest {
    private static List<ACL> onlyFor(String scheme, String id) {
        return List.of(new ACL(ZooDefs.Perms.ALL, new Id(scheme, id)));
    }

    private static void assertEveryNodeIsFor(String root, List<ACL> acl) {
        List<SecuredServer.Write> created = server.writes(root).stream()
                .filter(write -> !write.acl().isEmpty())
                .toList();
        assertThat(created)
                .extracting(SecuredServer.Write::path)
                .contains(root, root + "/jobs", root + "/leader/latch");
        assertThat(created)
                .allSatisfy(write -> assertThat(write.acl()).as(write.path()).isEqualTo(acl));
    }

    @Test
    void everyNodeIsCreatedForItsCreatorAlone() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        JobConfiguration long1 = JobConfiguration.newBuilder("long", 1)
                .shutdownGrace(Duration.ZERO)
                .build();
        try (ZooKeeperRegistry survivor =
                        own("walked").chroot("/teams/billing").failFast(LIMIT).connect();
                ZooKeeperRegistry leaving =
                        own("walked").chroot("/teams/billing").connect()) {
            OneOffJobBootstrap first = new OneOffJobBootstrap(
                    leaving,
                    (SimpleJob) context -> {
                        held.countDown();
                        interrupted.await();
                    },
                    long1);
            var run = first.execute(Map.of());
            assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
            leaving.close();
            // Registered only now: a leader that learns of the departure before the run ends moves the item without a
            // failover node.
            new OneOffJobBootstrap(survivor, (SimpleJob) context -> release.countDown(), long1);
            assertThat(release.await(60, TimeUnit.SECONDS)).as("failover").isTrue();
            assertThat(run).isNotNull();

            OneOffJobBootstrap byHand = new OneOffJobBootstrap(
                    survivor,
                    (SimpleJob) context -> context.saveCheckpoint(new byte[] {1}),
                    JobConfiguration.newBuilder("by-hand", 3).build());
            assertThat(byHand.execute().await(LIMIT)).containsValue(ItemOutcome.SUCCEEDED);
            run(survivor, "often");
            Operator.execute(survivor, new Command.Pause("often"));
            Operator.execute(survivor, new Command.Resume("often"));
            Operator.override(survivor, "by-hand", "shardingTotalCount", 5);
            Eventually.holds("five items", () -> created().contains("/jobs/by-hand/sharding/4"));
            assertThat(byHand.execute().await(LIMIT)).hasSize(5);
        }

        assertEveryNodeIsFor(
                "/teams/billing/walked",
                onlyFor("digest", DigestAuthenticationProvider.generateDigest(USER + ":" + PASSWORD)));
        assertThat(server.writes("/teams").get(0).acl())
                .as("a parent above the namespace")
                .isEqualTo(onlyFor("digest", DigestAuthenticationProvider.generateDigest(USER + ":" + PASSWORD)));
        assertThat(created().stream()
                        .map(path -> path.replaceAll("[0-9a-f]+(-[0-9a-f]+)+|(?<=/instances/).*|[0-9]{6,}", "*")))
                .as("every kind of node")
                .contains(
                        "/instances/*",
                        "/leader/epoch",
                        "/triggers/t-*",
                        "/jobs/often/config",
                        "/jobs/often/override",
                        "/jobs/often/sharding",
                        "/jobs/often/sharding/0",
                        "/jobs/often/sharding/0/running",
                        "/jobs/by-hand/sharding/0/checkpoint",
                        "/jobs/by-hand/fires/*",
                        "/jobs/long/failover/0")
                .anyMatch(path -> path.startsWith("/leader/latch/"));
    }

    private static Set<String> created() {
        return server.writes("/teams/billing/walked").stream()
                .filter(write -> !write.acl().isEmpty())
                .map(write -> write.path().substring("/teams/billing/walked".length()))
                .collect(Collectors.toSet());
    }

    @Test
    void clientWithoutCredentialsCanNeitherReadNorWrite() throws Exception {
        try (ZooKeeperRegistry registry = own("shut").connect();
                PlainClient owner = owner();
                PlainClient stranger = new PlainClient(server.servers());
                PlainClient other = new PlainClient(server.servers()).as(USER, "another")) {
            run(registry, "private");

            Set<String> paths = owner.paths("/shut");
            assertThat(paths).contains("/shut/jobs/private/config", "/shut/leader/latch");
            for (PlainClient anyone : List.of(stranger, other)) {
                for (String path : paths) {
                    assertRefused(path, () -> anyone.client.getData(path, false, null));
                    assertRefused(path, () -> anyone.client.getChildren(path, false));
                    assertRefused(path, () -> anyone.client.getACL(path, null));
                    assertRefused(path, () -> anyone.client.setData(path, new byte[0], -1));
                    assertRefused(path, () -> anyone.client.setACL(path, ZooDefs.Ids.OPEN_ACL_UNSAFE, -1));
                    assertRefused(
                            path + "/new",
                            () -> anyone.client.create(
                                    path + "/new", null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
                    if (!path.equals("/shut")) { // every client may change its parent
                        assertRefused(path, () -> anyone.client.delete(path, -1));
                    }
                }
            }
        }
    }

    /** A call of ZooKeeper's client. */
    private interface Attempt {
        void run() throws Exception;
    }

    private static void assertRefused(String path, Attempt attempt) {
        assertThatThrownBy(attempt::run)
                .as(path)
                .isInstanceOfAny(KeeperException.NoAuthException.class, KeeperException.NoNodeException.class);
    }

    @Test
    void saslUserOwnsTheNodesItCreates() throws Exception {
        try (ZooKeeperRegistry registry = builder("by-sasl").sasl("Orders").connect()) {
            run(registry, "job");
        }

        assertEveryNodeIsFor("/by-sasl", onlyFor("sasl", "orders"));
    }

    @Test
    void clientCertificateOwnsNodesButTlsAloneDoesNot() throws Exception {
        Tls tls = Tls.trusting(server.certificate.trust(), store());
        try (ZooKeeperRegistry registry = secure("encrypted").tls(tls).connect()) {
            run(registry, "job");
        }
        assertEveryNodeIsFor("/encrypted", ZooDefs.Ids.OPEN_ACL_UNSAFE);

        try (ZooKeeperRegistry registry = secure("by-certificate")
                .tls(tls.withKey(server.client.keys(), store()))
                .connect()) {
            run(registry, "job");
        }
        assertEveryNodeIsFor("/by-certificate", onlyFor("x509", "CN=orders"));

        try (ZooKeeperRegistry registry =
                secure("encrypted-sasl").tls(tls).sasl("Orders").connect()) {
            run(registry, "job");
        }
        assertEveryNodeIsFor("/encrypted-sasl", onlyFor("sasl", "orders"));
    }

    @Test
    void refusesNamespaceThatAnyoneCanChangeUntilItIsClosed() throws Exception {
        try (ZooKeeperRegistry open = builder("migrated").connect()) {
            run(open, "job");
        }
        assertThat(failure(() -> own("migrated"), "Anyone can change /migrated"))
                .contains("Anyone can change /migrated", server.servers(), "setAcl -R", "openAccess(true)");
        try (PlainClient owner = owner();
                ZooKeeperRegistry waiting = own("migrated").connect()) {
            Eventually.holds("refusal", () -> problem(waiting).contains("Anyone can change /migrated"));
            owner.client.setACL("/migrated", ZooDefs.Ids.CREATOR_ALL_ACL, -1);
            Eventually.holds(
                    "refusal of the nodes below", () -> problem(waiting).contains("Anyone can change /migrated/"));
            assertThat(waiting.instanceId()).isEmpty();
            owner.setAcls("/migrated", ZooDefs.Ids.CREATOR_ALL_ACL);

            run(waiting, "job");
        }
    }

    private static String problem(ZooKeeperRegistry registry) {
        return String.valueOf(registry.health().problem());
    }

    @Test
    void openNamespaceIsClosedWithoutDowntime() throws Exception {
        try (ZooKeeperRegistry without = builder("rolling").failFast(LIMIT).connect();
                ZooKeeperRegistry prepared =
                        own("rolling").openAccess(true).failFast(LIMIT).connect()) {
            run(without, "job");
            run(prepared, "job");
            without.close();
            try (PlainClient owner = owner()) {
                owner.setAcls("/rolling", ZooDefs.Ids.CREATOR_ALL_ACL);
                try (ZooKeeperRegistry closed = own("rolling").failFast(LIMIT).connect()) {
                    run(closed, "job");
                    prepared.close();
                    owner.setAcls("/rolling", ZooDefs.Ids.CREATOR_ALL_ACL);
                    run(closed, "another");
                }
            }
        }
    }
}
