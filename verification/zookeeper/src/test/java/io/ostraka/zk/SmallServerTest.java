package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeRequests;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.fixtures.RecordingListener;
import io.ostraka.fixtures.net.Ports;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a server with a small {@code jute.maxbuffer}. It drops the connection instead of answering a large transaction.
 */
@Tag("cluster")
@ExpectedErrors("drops the connection at a transaction of")
class SmallServerTest {
    private static final int MAX_BUFFER = 100_000;

    @TempDir
    private Path directory;

    private RunningProgram server;
    private int port;

    @BeforeEach
    void startServer() throws IOException {
        port = Ports.free();
        server = Program.java(ZooKeeperServerMain.class)
                .jvm("-Djute.maxbuffer=" + MAX_BUFFER, "-Dzookeeper.admin.enableServer=false")
                .arguments(port, directory)
                .log(directory.resolve("log"))
                .start();
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    private static List<NodeOp> creations(int from, int to) {
        return IntStream.range(from, to)
                .<NodeOp>mapToObj(i -> new NodeOp.Create("/n" + i, new byte[1_000], NodeOp.Kind.PERSISTENT))
                .toList();
    }

    @Test
    void findsTransactionsTooLargeForServerAndSendsSmallerOnes() throws Exception {
        var reports = new RecordingListener();
        try (var store = new ZooKeeperNodeStore(new ZooKeeperConfig(
                "127.0.0.1:" + port, "app", Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofMillis(100)))) {
            store.start(reports);
            int most = 400;
            int created = 0;
            int lost = 0;
            int refused = 0;
            while (created < 400) {
                int next = Math.min(400, created + most);
                Outcome outcome = store.commit(creations(created, next))
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS);
                if (outcome instanceof Outcome.Committed) {
                    created = next;
                } else if (outcome instanceof Outcome.Rejected rejected) {
                    assertThat(rejected.reason()).isEqualTo(Outcome.Reason.TOO_LARGE);
                    refused++;
                    most /= 2;
                } else {
                    lost += reports.next().startsWith("suspended") ? 1 : 0;
                }
            }
            assertThat(refused).as("times found too large").isPositive();
            assertThat(reports.limits()).isNotEmpty().allMatch(limit -> limit.contains("jute.maxbuffer"));
            assertThat(lost)
                    .as("connections lost, to find it %d times", refused)
                    .isBetween(3, 6 * refused);
            assertThat(NodeRequests.bytes(creations(0, most), 4, 31)).isLessThan(MAX_BUFFER);
            assertThat(store.children("/").toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasSize(400);
        }
    }
}
