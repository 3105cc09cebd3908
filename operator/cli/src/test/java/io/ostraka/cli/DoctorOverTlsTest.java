package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that doctor checks the access rights through a port that speaks TLS only. */
@Tag("cluster")
@Timeout(180)
class DoctorOverTlsTest {
    private static final String PASSWORD = "st0re-Passw0rd";
    private static final String JAVA = System.getProperty("java.home");

    @TempDir
    static Path directory;

    private static Process server;
    private static int securePort;
    private static Path trust;
    private static Path trustPassword;
    private static Path userPassword;

    @BeforeAll
    static void start() throws Exception {
        Path keys = directory.resolve("server.p12");
        trust = directory.resolve("trust.p12");
        trustPassword = Files.writeString(directory.resolve("trust-password"), PASSWORD);
        userPassword = Files.writeString(directory.resolve("user-password"), "very-secret");
        certificate(keys);
        int port = free();
        securePort = free();
        startServer(keys, port);
        String servers = "127.0.0.1:" + port;
        register(ZooKeeperRegistry.connect(servers, "orders"));
        register(ZooKeeperRegistry.newBuilder(servers, "bills")
                .digest("bills", Secret.of("${file:" + userPassword + "}"))
                .connect());
    }

    /** Creates the namespace, and ends the instance. */
    private static void register(ZooKeeperRegistry registry) throws Exception {
        try (registry) {
            registry.schedule(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder("settle", 2)
                                    .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                                    .build())
                    .scheduled()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    private static void certificate(Path keys) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(Path.of(JAVA, "bin", "keytool").toString(), "-genkeypair", "-keyalg", "EC"));
        command.addAll(List.of("-groupname", "secp256r1", "-alias", "own", "-dname", "CN=zookeeper"));
        command.addAll(List.of("-ext", "SAN=ip:127.0.0.1", "-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keystore", keys.toString()));
        Path log = directory.resolve("keytool.log");
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS) && keytool.exitValue() == 0)
                .as(Files.readString(log))
                .isTrue();
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load((InputStream) null, null);
        store.setCertificateEntry(
                "known",
                KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray()).getCertificate("own"));
        try (OutputStream out = Files.newOutputStream(trust)) {
            store.store(out, PASSWORD.toCharArray());
        }
    }

    private static void startServer(Path keys, int port) throws IOException {
        Path settings = Files.writeString(
                directory.resolve("zoo.cfg"),
                """
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                secureClientPort=%d
                secureClientPortAddress=127.0.0.1
                tickTime=500
                admin.enableServer=false
                """
                        .formatted(directory.resolve("data"), port, securePort));
        server = new ProcessBuilder(
                        Path.of(JAVA, "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dzookeeper.preAllocSize=4096",
                        "-Dzookeeper.serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "-Dzookeeper.ssl.clientAuth=none",
                        "-Dzookeeper.ssl.keyStore.location=" + keys,
                        "-Dzookeeper.ssl.keyStore.password=" + PASSWORD,
                        "-Dzookeeper.ssl.trustStore.location=" + trust,
                        "-Dzookeeper.ssl.trustStore.password=" + PASSWORD,
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.apache.zookeeper.server.ZooKeeperServerMain",
                        settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("server.log").toFile())
                .start();
        while (!(listens(port) && listens(securePort))) {
            assertThat(server.isAlive())
                    .as(Files.readString(directory.resolve("server.log")))
                    .isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.destroyForcibly().onExit().join();
        }
    }

    private static String doctor(String... more) {
        List<String> line = new ArrayList<>(List.of("--zookeeper", "127.0.0.1:" + securePort));
        line.addAll(List.of("--trust-store", trust.toString(), "--trust-store-password-file"));
        line.addAll(List.of(trustPassword.toString(), "doctor"));
        line.addAll(List.of(more));
        Ran ran = Ran.of(directory, line);
        return ran.out() + ran.err();
    }

    @Test
    void accessRightsOfAnOpenNamespaceAreFound() {
        assertThat(doctor("-n", "orders")).contains("everyone who reaches ZooKeeper can change /orders");
    }

    @Test
    void accessRightsOfAClosedNamespaceAreFound() {
        assertThat(doctor("-n", "bills", "--digest-user", "bills", "--digest-password-file", userPassword.toString()))
                .contains("a client without credentials has no access to /bills")
                .doesNotContain("very-secret", PASSWORD);
    }
}
