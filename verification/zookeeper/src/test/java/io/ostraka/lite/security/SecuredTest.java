package io.ostraka.lite.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.CapturedLog;
import io.ostraka.fixtures.net.SelfSigned;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.security.auth.login.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Starts a server with all security features, and creates clients for it. */
@Tag("cluster")
abstract class SecuredTest {
    static final String USER = "orders";
    static final String PASSWORD = "d1gest-Passw0rd";
    /** Limit of waits that only a failing test exceeds. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String JAAS = "java.security.auth.login.config";

    @TempDir
    static Path directory;

    static SecuredServer server;

    CapturedLog log;

    @BeforeAll
    static void start() throws Exception {
        server = new SecuredServer(directory);
        Path jaas = directory.resolve("client-jaas.conf");
        Files.writeString(
                jaas,
                """
                Orders { org.apache.zookeeper.server.auth.DigestLoginModule required username="orders" password="%s"; };
                Wrong { org.apache.zookeeper.server.auth.DigestLoginModule required username="orders" password="another"; };
                """
                        .formatted(SecuredServer.SASL_PASSWORD));
        System.setProperty(JAAS, jaas.toString());
        Configuration.getConfiguration().refresh();
    }

    @AfterAll
    static void stop() {
        System.clearProperty(JAAS);
        server.close();
    }

    @BeforeEach
    void capture() {
        log = new CapturedLog();
    }

    @AfterEach
    void release() {
        log.close();
    }

    static RegistryBuilder builder(String servers, String namespace) {
        return ZooKeeperRegistry.newBuilder(servers, namespace)
                .sessionTimeout(Duration.ofSeconds(4))
                .retryPause(Duration.ofMillis(100))
                .shutdownHook(false);
    }

    static RegistryBuilder builder(String namespace) {
        return builder(server.servers(), namespace);
    }

    /**
     * Returns the message of a registry that could not be registered. A busy machine may need longer to find the
     * reason, so the limit doubles until the message contains the given text.
     */
    static String failure(Supplier<RegistryBuilder> builder, String expected) {
        String message = "";
        for (Duration limit = Duration.ofSeconds(2);
                !message.contains(expected) && limit.compareTo(LIMIT) < 0;
                limit = limit.multipliedBy(2)) {
            try (ZooKeeperRegistry registry = builder.get().failFast(limit).connect()) {
                message = "connected: " + registry.health();
            } catch (CoordinationException e) {
                message = String.valueOf(e.getMessage());
            }
        }
        return message;
    }

    static RegistryBuilder own(String namespace) {
        return builder(namespace).digest(USER, PASSWORD::toCharArray);
    }

    static RegistryBuilder secure(String namespace) {
        return builder(server.secureServers(), namespace);
    }

    static PlainClient owner() throws Exception {
        return new PlainClient(server.servers()).as(USER, PASSWORD);
    }

    static Secret store() {
        return SelfSigned.PASSWORD::toCharArray;
    }

    static JobConfiguration often(String job) {
        return JobConfiguration.newBuilder(job, 2)
                .schedule(Schedule.fixedRate(Duration.ofMillis(100)))
                .build();
    }

    /** Schedules a job through a registry, and waits for three runs. */
    static void run(ZooKeeperRegistry registry, String job) throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(3);
        new ScheduleJobBootstrap(registry, (SimpleJob) context -> runs.countDown(), often(job)).schedule();
        assertThat(runs.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
}
