package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the direct way to ZooKeeper against a real server, with an open and a closed namespace. */
@Tag("cluster")
class DirectTransportTest {
    @TempDir
    static Path directory;

    private static EmbeddedZooKeeper server;
    private static ZooKeeperRegistry open;
    private static ZooKeeperRegistry closed;
    private static Path password;

    private String out = "";
    private String err = "";

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
        password = Files.writeString(directory.resolve("password"), "very-secret\n");
        open = ZooKeeperRegistry.connect(server.connectString(), "orders");
        closed = ZooKeeperRegistry.newBuilder(server.connectString(), "bills")
                .digest("bills", Secret.of("${file:" + password + "}"))
                .connect();
        for (ZooKeeperRegistry each : List.of(open, closed)) {
            each.schedule(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder("settle", 2)
                                    .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                                    .build())
                    .scheduled()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    @AfterAll
    static void stop() {
        open.close();
        closed.close();
        server.close();
    }

    private int run(String... arguments) {
        List<String> line = new ArrayList<>(List.of("--zookeeper", server.connectString(), "--as", "ann"));
        line.addAll(List.of(arguments));
        Ran ran = Ran.of(directory, line);
        out = ran.out();
        err = ran.err();
        return ran.code();
    }

    @Test
    void everyNamespaceIsListed() {
        assertThat(run("namespace", "list", "-o", "name")).as(err).isZero();
        assertThat(out).isEqualTo("bills\norders\n");
    }

    @Test
    void commandsNameThePersonAndRepeatTheConnection() {
        assertThat(run("-n", "orders", "job", "pause", "settle", "--reason", "upgrade"))
                .as(err)
                .isZero();
        assertThat(run("-n", "orders", "job", "get", "settle")).isZero();
        assertThat(out)
                .contains("ann", "upgrade")
                .contains("ostraka --zookeeper " + server.connectString() + " --as ann -n orders job resume settle");
        assertThat(run("-n", "orders", "job", "resume", "settle")).isZero();
    }

    /** An observer waits for a namespace that does not exist; a person with a mistyped name must not. */
    @Tag("slow")
    @Test
    void mistypedNamespaceIsNotFoundAndNotCreated() {
        assertThat(run("-n", "ordes", "job", "list")).isEqualTo(3);
        assertThat(err).contains("ordes");
        run("namespace", "list", "-o", "name");
        assertThat(out).doesNotContain("ordes");
    }

    @Tag("slow")
    @Test
    void closedNamespaceNeedsTheCredentialsFromAFile() {
        assertThat(run("-n", "bills", "--timeout", "3s", "job", "list")).isNotZero();
        assertThat(run(
                        "-n",
                        "bills",
                        "--digest-user",
                        "bills",
                        "--digest-password-file",
                        password.toString(),
                        "job",
                        "list"))
                .as(err)
                .isZero();
        assertThat(out).contains("settle");
        assertThat(out + err).doesNotContain("very-secret");
        assertThat(run("-n", "bills", "--digest-user", "bills", "job", "list")).isEqualTo(2);
        assertThat(err).contains("--digest-password-file");
    }

    @Tag("slow")
    @Test
    void serverThatIsNotThereIsUnreachable() throws IOException {
        int port;
        try (java.net.ServerSocket free = new java.net.ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertThat(run("--zookeeper", "127.0.0.1:" + port, "-n", "orders", "--timeout", "300ms", "job", "list"))
                .isEqualTo(2); // given twice
        List<String> line =
                List.of("--zookeeper", "127.0.0.1:" + port, "-n", "orders", "--timeout", "PT0.3S", "job", "list");
        Ran ran = Ran.of(directory, line);
        assertThat(ran.code()).as(ran.err()).isEqualTo(6);
    }

    @Test
    void doctorChecksTheServerAndTheAccessRights() {
        run("-n", "orders", "doctor");
        assertThat(out).contains("everyone who reaches ZooKeeper can change /orders", "only one server is named");
        run("-n", "bills", "--digest-user", "bills", "--digest-password-file", password.toString(), "doctor");
        assertThat(out).contains("a client without credentials has no access to /bills");
        assertThat(out + err).doesNotContain("very-secret");
    }

    @Test
    void otherConnectStringsAreRefused() {
        assertThat(run("-n", "a/b", "job", "list")).isIn(2, 3);
        assertThat(run("-n", "orders", "--chroot", "no-slash", "job", "list")).isEqualTo(2);
        assertThat(run("-n", "orders", "--digest-user", "a:b", "--digest-password-file", "/x", "job", "list"))
                .isEqualTo(2);
    }
}
