package io.ostraka.faults.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Tests that kills, stops and slow disks take effect on the servers and that no answered write is lost. */
@Tag("cluster")
@Timeout(240)
class EnsembleProcessesTest {
    private static Path directory;
    private static Ensemble ensemble;
    private static Client client;

    @BeforeAll
    static void start(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path temporary) throws IOException {
        directory = temporary;
        ensemble = Ensemble.start(directory);
        client = new Client(ensemble.servers());
    }

    @AfterAll
    static void end() {
        client.close();
        ensemble.close();
    }

    private static IntStream servers() {
        return IntStream.range(0, ensemble.size());
    }

    @Test
    void anotherServerLeadsAfterKillOfLeaderWhichThenFollows() throws Exception {
        client.write("/killed", "before");
        int killed = ensemble.awaitLeader();

        ensemble.kill(killed);

        assertThat(ensemble.awaitLeader()).isNotEqualTo(killed);
        assertThat(client.read("/killed")).isEqualTo("before");
        client.write("/killed", "without it");
        ensemble.start(killed);
        ensemble.awaitServing();
        try (Client itsOwn = new Client(ensemble.server(killed))) {
            assertThat(itsOwn.read("/killed")).isEqualTo("without it");
        }
    }

    @Test
    void stoppedFollowerAnswersAfterItContinues() throws Exception {
        int leader = ensemble.awaitLeader();
        int stopped = servers().filter(server -> server != leader).findFirst().orElseThrow();
        try (Client itsOwn = new Client(ensemble.server(stopped));
                Client leaders = new Client(ensemble.server(leader))) {
            itsOwn.write("/stopped", "before");
            CountDownLatch answered = new CountDownLatch(1);

            ensemble.stop(stopped);
            itsOwn.curator
                    .getData()
                    .inBackground((own, event) -> answered.countDown())
                    .forPath("/stopped");
            for (int i = 0; i < 20; i++) {
                leaders.write("/stopped", "without it, " + i);
            }
            assertThat(answered.getCount()).isOne();

            ensemble.go(stopped);
            assertThat(answered.await(90, TimeUnit.SECONDS)).isTrue();
            ensemble.awaitServing();
            assertThat(itsOwn.read("/stopped")).isEqualTo("without it, 19");
        }
    }

    @Test
    void answeredWritesSurviveKillOfAllServers() throws Exception {
        for (int i = 0; i < 50; i++) {
            client.write("/all/" + i, "answered");
        }

        servers().forEach(ensemble::kill);
        assertThat(ensemble.leader()).isEmpty();
        servers().forEach(ensemble::start);
        ensemble.awaitServing();

        assertThat(client.curator.getChildren().forPath("/all")).hasSize(50);
        client.write("/all/50", "answered again");
    }

    /** Without the correction, ZooKeeper refuses to start a server that was killed at that moment. */
    @Test
    void serverKilledBeforeWritingItsEpochServesAgain() throws Exception {
        int leader = ensemble.awaitLeader();
        ensemble.kill(leader);
        int next = ensemble.awaitLeader(); // so the epoch is not the first one
        client.write("/epoch", "logged");
        ensemble.start(leader);
        ensemble.awaitServing();
        client.write("/epoch", "logged by all");
        ensemble.kill(next);
        Path noted = directory.resolve("ensemble-1/server-" + next + "/version-2/currentEpoch");
        long epoch = Long.parseLong(Files.readString(noted).strip());
        Files.writeString(noted, Long.toString(epoch - 1));

        ensemble.start(next);
        ensemble.awaitServing();

        try (Client itsOwn = new Client(ensemble.server(next))) {
            assertThat(itsOwn.read("/epoch")).isEqualTo("logged by all");
        }
        assertThat(ensemble.mended()).isPositive();
    }

    @Test
    void writeIsLateButDoneWhenDisksAreSlow() throws Exception {
        client.write("/slow", "fast");
        Duration perFlush = Duration.ofMillis(300);
        servers().forEach(server -> ensemble.slowDisk(server, perFlush));

        long begun = System.nanoTime();
        client.write("/slow", "late");
        // a lower limit only, because a busy machine may take longer
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(perFlush.toNanos());

        ensemble.heal();
        assertThat(client.read("/slow")).isEqualTo("late");
    }
}
