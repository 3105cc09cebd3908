package io.ostraka.lite.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Ports;
import io.ostraka.fixtures.net.SelfSigned;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.Tls;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLServerSocket;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Tests the messages after ZooKeeper has refused an instance or could not understand it. Also tests the recovery. */
class RefusalTest extends SecuredTest {
    private static final Duration FAIL_FAST = Duration.ofSeconds(15);
    private static final Duration LONGEST = FAIL_FAST.multipliedBy(4);

    /** Guards against a deployment that looks healthy although its jobs never reached ZooKeeper. */
    @Test
    void refusalNamesAttemptServerAndRemedy() throws Exception {
        try (ZooKeeperRegistry closed = own("closed").failFast(LIMIT).connect()) {
            assertThat(closed.health().connected()).isTrue();
        }
        Tls tls = Tls.trusting(server.certificate.trust(), store());
        int unusedPort = Ports.free();
        String plain = server.servers();
        String secure = server.secureServers();
        String byName = secure.replace("127.0.0.1", "localhost");

        Map<RegistryBuilder, List<String>> cases = new LinkedHashMap<>();
        cases.put(builder("closed"), List.of(plain, "/closed", "no credentials were given", "Give the registry"));
        cases.put(
                builder("closed").digest(USER, "another"::toCharArray),
                List.of(plain, "/closed", "digest user 'orders'", "do not have the rights", "Correct user, password"));
        cases.put(
                builder("closed").sasl("Wrong"),
                List.of(plain, "refused the credentials of this process", "JAAS section 'Wrong'"));
        cases.put(builder("closed").sasl("Missing"), List.of(plain, "JAAS section 'Missing'"));
        cases.put(
                builder("unauthenticated").sasl("Missing"),
                List.of(
                        plain,
                        "/unauthenticated with restricted access",
                        "has not authenticated this process",
                        "JAAS section 'Missing'"));
        cases.put(
                builder("closed").digest(USER, Secret.of("${env:NO_SUCH_VARIABLE}")),
                List.of(plain, "cannot read the secret ${env:NO_SUCH_VARIABLE}"));
        cases.put(
                builder(secure, "tls").tls(Tls.trusting(server.client.trust(), store())),
                List.of(secure, "certificate that is not accepted", "trust store that covers it"));
        cases.put(
                builder(byName, "tls").tls(tls),
                List.of(byName, "certificate that is not accepted", "connect by a name that it contains"));
        cases.put(
                builder(secure, "tls").tls(Tls.trusting(server.certificate.trust(), "another"::toCharArray)),
                List.of(secure, "trust-server.p12", "cannot be used", "Correct the file, its password"));
        cases.put(
                builder(secure, "tls").tls(Tls.trustingTheJdk()), List.of(secure, "certificate that is not accepted"));
        SSLServerSocket demanding = demanding();
        cases.put(
                builder("127.0.0.1:" + demanding.getLocalPort(), "tls").tls(tls),
                List.of("refuses the handshake", "requires client certificates", "withKey"));
        cases.put(builder(secure, "tls"), List.of(secure, "expects TLS", "give the registry tls"));
        cases.put(builder(plain, "tls").tls(tls), List.of(plain, "does not use TLS", "secure client port"));
        cases.put(
                builder("127.0.0.1:" + unusedPort, "nobody"),
                List.of("127.0.0.1:" + unusedPort, "is not listening", "check address and port"));

        ExecutorService all = Executors.newFixedThreadPool(4); // handshakes of all cases at once slow each other down
        try {
            Map<List<String>, CompletableFuture<String>> messages = new LinkedHashMap<>();
            cases.forEach((builder, expected) ->
                    messages.put(expected, CompletableFuture.supplyAsync(() -> failure(builder, expected), all)));
            SoftAssertions softly = new SoftAssertions();
            messages.forEach((expected, message) -> softly.assertThat(message.join())
                    .contains(expected)
                    .doesNotContain(PASSWORD, SelfSigned.PASSWORD, "another", SecuredServer.SASL_PASSWORD));
            softly.assertAll();
        } finally {
            all.shutdown();
            demanding.close();
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("ostraka-")) {
                thread.join(); // at JUnit's limit, the dump of all threads shows which one has not ended
            }
        }
    }

    /** Starts a server that demands client certificates and sends no data. */
    private static SSLServerSocket demanding() throws Exception {
        SSLServerSocket demanding = (SSLServerSocket) server.certificate
                .context(server.client)
                .getServerSocketFactory()
                .createServerSocket(0);
        demanding.setNeedClientAuth(true);
        Thread server = new Thread(() -> {
            while (!demanding.isClosed()) {
                try (Socket client = demanding.accept()) {
                    client.getInputStream().read();
                } catch (IOException e) {
                    // expected: the handshake fails
                }
            }
        });
        server.setDaemon(true);
        server.start();
        return demanding;
    }

    /**
     * Returns the message of a failed attempt to connect. A busy machine may need longer than a limit until the cause is
     * known, so an attempt without the expected message is repeated with twice the limit, a few times.
     */
    private static String failure(RegistryBuilder builder, List<String> expected) {
        String message = "";
        for (Duration limit = FAIL_FAST; limit.compareTo(LONGEST) <= 0; limit = limit.multipliedBy(2)) {
            try (ZooKeeperRegistry registry = builder.failFast(limit).connect()) {
                return "connected: " + registry.health();
            } catch (CoordinationException e) {
                message = String.valueOf(e.getMessage());
                assertThat(message).contains("within " + limit);
            }
            if (expected.stream().allMatch(message::contains)) {
                break;
            }
        }
        return message;
    }

    @Test
    void correctedPasswordIsUsedWithoutRestart() throws Exception {
        try (ZooKeeperRegistry first = own("corrected").failFast(LIMIT).connect()) {
            assertThat(first.health().connected()).isTrue();
        }
        AtomicReference<String> password = new AtomicReference<>("another");
        try (ZooKeeperRegistry registry = builder("corrected")
                .digest(USER, () -> password.get().toCharArray())
                .connect()) {
            AtomicInteger runs = new AtomicInteger();
            new ScheduleJobBootstrap(registry, (SimpleJob) context -> runs.incrementAndGet(), often("job")).schedule();
            Eventually.holds("refusal", () -> problem(registry).contains("do not have the rights"));
            assertThat(registry.health().connected()).isFalse();
            Eventually.holds("the error in the log", () -> !log.lines("not registered at ZooKeeper")
                    .isEmpty());
            password.set(PASSWORD);

            Eventually.holds("runs", () -> runs.get() > 2);
            assertThat(registry.health().problem()).isNull();
        }
        assertThat(log.lines("not registered at ZooKeeper"))
                .as("errors in the log")
                .hasSize(1);
    }

    @Test
    void jobWithoutAccessToItsNodesAffectsNoOtherAndRecovers() throws Exception {
        try (ZooKeeperRegistry registry = own("mixed").failFast(LIMIT).connect();
                PlainClient owner = owner();
                PlainClient thief = new PlainClient(server.servers()).as("thief", "of nodes")) {
            AtomicInteger taken = new AtomicInteger();
            AtomicInteger free = new AtomicInteger();
            new ScheduleJobBootstrap(registry, (SimpleJob) context -> taken.incrementAndGet(), often("taken"))
                    .schedule();
            new ScheduleJobBootstrap(registry, (SimpleJob) context -> free.incrementAndGet(), often("free")).schedule();
            Eventually.holds("both to run", () -> taken.get() > 2 && free.get() > 2);

            owner.setAcls("/mixed/jobs/taken", onlyFor("thief", "of nodes"));
            Eventually.holds("refusal to be seen", () -> refused(registry, "taken"));
            Requests meanwhile = new Requests();
            int ran = free.get();
            Eventually.holds("the other to continue", () -> free.get() > ran + 40); // 20 fires of two items
            meanwhile.areNotMoreThan(100);
            assertThat(log.text()).contains("ZooKeeper at " + server.servers() + " refuses to write /mixed/jobs/taken");

            int before = taken.get();
            thief.setAcls("/mixed/jobs/taken", onlyFor(USER, PASSWORD));
            Eventually.holds("the job to be back", () -> taken.get() > before + 2);
            Eventually.holds("good health", () -> registry.health().good());

            owner.setAcls("/mixed", onlyFor("thief", "of nodes"));
            Eventually.holds("refusal of everything", () -> refused(registry, "taken") && refused(registry, "free"));
            Requests until = new Requests();
            thief.setAcls("/mixed", onlyFor(USER, PASSWORD));
            int then = taken.get() + free.get();
            Eventually.holds("both to be back", () -> taken.get() + free.get() > then + 8);
            until.areNotMoreThan(100);
            Eventually.holds("good health", () -> registry.health().good());
        }
    }

    /**
     * Counts the requests per second since this object was created. A slow machine sends fewer requests; without pauses
     * there would be thousands.
     */
    private final class Requests {
        private final long before = server.packets();
        private final long begun = System.nanoTime();

        void areNotMoreThan(int aSecond) {
            long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
            assertThat((server.packets() - before) / seconds)
                    .as("requests a second, in %d s", seconds)
                    .isLessThanOrEqualTo(aSecond);
        }
    }

    private static boolean refused(ZooKeeperRegistry registry, String job) {
        return registry.health().jobs().get(job).reason(JobHealth.Kind.REFUSED).isPresent();
    }

    private static List<ACL> onlyFor(String user, String password) throws Exception {
        return List.of(new ACL(
                ZooDefs.Perms.ALL,
                new Id("digest", DigestAuthenticationProvider.generateDigest(user + ":" + password))));
    }

    @Test
    void instanceReportsRefusedRegistrationAndRegistersLater() throws Exception {
        try (ZooKeeperRegistry first = own("kept-out").failFast(LIMIT).connect()) {
            assertThat(first.health().connected()).isTrue();
        }
        try (PlainClient owner = owner()) {
            owner.setAcl(
                    "/kept-out/instances",
                    List.of(new ACL(
                            ZooDefs.Perms.READ | ZooDefs.Perms.ADMIN,
                            onlyFor(USER, PASSWORD).get(0).getId())));
            Requests meanwhile = new Requests();
            assertThat(failure(() -> own("kept-out"), "refuses to write /kept-out/instances/"))
                    .contains(server.servers(), "refuses to write /kept-out/instances/", "setAcl");
            meanwhile.areNotMoreThan(25); // the pauses between the attempts grow
            try (ZooKeeperRegistry registry = own("kept-out").connect()) {
                Eventually.holds("refusal", () -> problem(registry).contains("refuses this instance's node"));
                owner.setAcl("/kept-out/instances", onlyFor(USER, PASSWORD));

                run(registry, "job");
                Eventually.holds("good health", () -> registry.health().good());
            }
        }
    }

    private static String problem(ZooKeeperRegistry registry) {
        return String.valueOf(registry.health().problem());
    }
}
