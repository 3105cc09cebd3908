package io.ostraka.faults.ensemble;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(90)
class ServerTest {
    @Test
    void everyOperationReportsCrashedServer(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("zoo.cfg"), "clientPort=none");
        try (Server server = new Server(directory, 0)) {
            server.start();

            assertThatThrownBy(() -> {
                        while (true) {
                            server.look();
                            LockSupport.parkNanos(10_000_000);
                        }
                    })
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "ended unexpectedly with exit code 1", server.log().toString());
            assertThatThrownBy(server::start).hasMessageContaining("ended unexpectedly");
            assertThatThrownBy(server::kill).hasMessageContaining("ended unexpectedly");
        }
    }
}
