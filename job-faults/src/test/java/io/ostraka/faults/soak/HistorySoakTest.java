package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.faults.history.HistoryChecker;
import io.ostraka.testkit.database.PostgreSqlServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the history in the database agrees with the recorded events after faults of all processes. */
@Tag("cluster")
@Tag("postgresql")
@Timeout(600)
class HistorySoakTest {
    private static final Duration LENGTH = Duration.ofSeconds(50);

    @Test
    void historyAgreesWithTheRecordedEvents() throws Exception {
        assumeTrue(PostgreSqlServer.isInstalled(), PostgreSqlServer.NOT_INSTALLED);
        long seed = new Random().nextInt(100_000);
        Part part = new Part(seed, 0, Path.of("target/history-soak-test"), true);
        part.delete();
        Files.createDirectories(part.directory());
        FaultPlan plan = DatabaseFaults.addTo(FaultPlan.of(seed, LENGTH, FaultPlan.ALL));

        Soak.Recording recording = Soak.runBriefly(plan, part.directory(), line -> {});

        HistoryChecker.Verdict verdict = recording.verdict();
        System.out.println("soak of the history: seed " + seed + ", " + recording.kept());
        verdict.told().forEach(violation -> System.out.println(violation.invariant() + ": " + violation.what()));
        assertThat(verdict.number())
                .as("files are kept in %s", part.directory().toAbsolutePath())
                .isEmpty();
        assertThat(recording.kept().get("claims decided")).isGreaterThan(500);
        part.delete();
    }
}
