package io.ostraka.lite.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.lite.TestingServers;
import io.ostraka.lite.process.ExitingRun.Way;
import java.nio.file.Path;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a process ends at once, and leaves ZooKeeper, if a run ends it or closes its registry. */
@Tag("cluster")
class ExitingRunTest {
    @TempDir
    private Path directory;

    private final Recorder recorder = new Recorder();

    @ParameterizedTest
    @EnumSource
    void processDoesNotWaitForTheRunThatEndsIt(Way way) throws Exception {
        try (TestingServer server = TestingServers.start(directory)) {
            var process = new WorkerProcess(
                    "exiting-run", ExitingRun.class, List.of(server.getConnectString(), way.name()), recorder);

            try {
                assertThat(process.awaitExit()).isEqualTo(way == Way.CLOSE ? 0 : ExitingRun.EXITED);
            } finally {
                process.destroy(); // otherwise a process that waits for its run would stay for an hour
            }
            assertThat(FailingMainTest.instances(server))
                    .as("instance nodes after the session was closed")
                    .isEmpty();
        }
    }
}
