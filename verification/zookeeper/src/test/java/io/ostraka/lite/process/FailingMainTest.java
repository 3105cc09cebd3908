package io.ostraka.lite.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.DeafListener;
import io.ostraka.lite.TestingServers;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a process whose {@code main} throws ends if it has no job, and otherwise stays alive. */
@Tag("cluster")
class FailingMainTest {
    @TempDir
    private Path directory;

    private final Recorder recorder = new Recorder();

    @Test
    void processWithoutJobExitsAndClosesItsSession() throws Exception {
        try (TestingServer server = TestingServers.start(directory)) {
            var process =
                    new WorkerProcess("failing-main", FailingMain.class, List.of(server.getConnectString()), recorder);

            assertThat(process.awaitExit()).isEqualTo(1);
            assertThat(instances(server))
                    .as("instance nodes after the session was closed")
                    .isEmpty();
        }
    }

    @Test
    void processWithJobStaysAlive() throws Exception {
        try (TestingServer server = TestingServers.start(directory)) {
            var process = new WorkerProcess(
                    "failing-main", FailingMain.class, List.of(server.getConnectString(), "cache"), recorder);

            assertThat(process.awaitExit()).isEqualTo(FailingMain.RAN);
        }
    }

    static List<String> instances(TestingServer server) throws Exception {
        var connected = new CompletableFuture<Void>();
        try (var store = new ZooKeeperNodeStore(new ZooKeeperConfig(
                server.getConnectString(),
                "half",
                Duration.ofSeconds(20),
                Duration.ofSeconds(5),
                Duration.ofMillis(200)))) {
            store.start(new DeafListener() {
                @Override
                public void connected(long sessionId, Duration sessionTimeout) {
                    connected.complete(null);
                }
            });
            connected.get(60, TimeUnit.SECONDS);
            return store.children("/instances").toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }
}
