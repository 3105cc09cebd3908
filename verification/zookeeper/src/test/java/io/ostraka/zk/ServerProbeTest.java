package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.RecordingListener;
import io.ostraka.fixtures.net.Ports;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("cluster")
class ServerProbeTest {
    /** The first finding must not remain after the cause has changed, because the people on call act on it. */
    @Test
    void reasonForMissingConnectionFollowsTheServers() throws Exception {
        int port = Ports.free();
        RecordingListener reports = new RecordingListener();
        var config = new ZooKeeperConfig(
                "127.0.0.1:" + port, "app", Duration.ofSeconds(20), Duration.ofSeconds(3), Duration.ofMillis(100));
        ZooKeeperNodeStore store = new ZooKeeperNodeStore(config);
        store.start(reports);
        try {
            assertThat(reports.nextReason()).contains("is not listening");
            assertReasonChanges(store, reports, port);
        } finally {
            store.close();
        }
    }

    private static void assertReasonChanges(ZooKeeperNodeStore store, RecordingListener reports, int port)
            throws IOException {
        try (var silent = new ServerSocket(port)) {
            var accepting = new Thread(() -> {
                while (true) {
                    try {
                        silent.accept().close();
                    } catch (IOException e) {
                        return; // the test has ended
                    }
                }
            });
            accepting.start();
            assertThat(reports.nextReason()).contains("accepts connections but does not answer");
            assertThat(store.trouble()).contains("accepts connections but does not answer");
        }
    }
}
