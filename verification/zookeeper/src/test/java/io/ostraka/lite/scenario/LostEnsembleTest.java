package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Operations;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows the runbook "The ensemble was lost" of docs/operations.md: three servers lose all data, and come back empty.
 */
@Tag("cluster")
@Timeout(300)
class LostEnsembleTest {
    private static final CommandOptions ADA = CommandOptions.by("ada").because("the ensemble was lost");

    private final Runs refresh = new Runs();
    private final Runs settle = new Runs();

    private static ZooKeeperRegistry registry(Ensemble ensemble) {
        return ZooKeeperRegistry.newBuilder(ensemble.servers(), "orders")
                .sessionTimeout(Duration.ofSeconds(20))
                .shutdownHook(false)
                .connect();
    }

    /** Deploys the application: both jobs, as their code defines them. */
    private void deploy(ZooKeeperRegistry registry) {
        new ScheduleJobBootstrap(
                        registry,
                        refresh.recording(),
                        JobConfiguration.newBuilder("refresh", 2)
                                .schedule(Schedule.cron("* * * * * ?"))
                                .build())
                .schedule();
        new ScheduleJobBootstrap(
                        registry,
                        settle.recording(),
                        JobConfiguration.newBuilder("settle", 2)
                                .schedule(Schedule.cron("* * * * * ?"))
                                .build())
                .schedule();
    }

    @Test
    void runbookRestoresTheSettingsBeforeAnythingRuns(@TempDir Path directory) throws Exception {
        Path document = directory.resolve("operations.json");
        long lastToken;
        try (Ensemble first = new Ensemble(Files.createDirectory(directory.resolve("first")))) {
            try (ZooKeeperRegistry registry = registry(first)) {
                deploy(registry);
                refresh.await("runs before the loss", all -> all.size() >= 4);
                registry.operations().execute(new Command.Pause("settle"), ADA);
                registry.operations()
                        .execute(new Command.SetOverride("refresh", "timeout", Duration.ofMinutes(5)), ADA);
                Files.writeString(document, registry.operations().export());
            }
            lastToken = refresh.all().stream().mapToLong(Runs.Ran::token).max().orElseThrow();
        }
        int refreshed = refresh.all().size();
        int settled = settle.all().size();
        Instant lost = Instant.now().truncatedTo(ChronoUnit.SECONDS);

        try (Ensemble empty = new Ensemble(Files.createDirectory(directory.resolve("empty")));
                ZooKeeperOperations observer = ZooKeeperOperations.newBuilder(empty.servers())
                        .createNamespace()
                        .connect("orders")) {
            Operations operations = observer.operations();
            assertThat(operations.execute(new Command.Freeze(null), ADA)).isInstanceOf(CommandResult.Applied.class);
            assertThat(operations.diff(Files.readString(document)))
                    .as("two jobs, and the freeze, which the document lacks and Apply keeps")
                    .hasSize(3);
            assertThat(operations.execute(new Command.Apply(Files.readString(document)), ADA))
                    .isInstanceOf(CommandResult.Applied.class);
            try (ZooKeeperRegistry registry = registry(empty)) {
                deploy(registry);
                Eventually.holds("both jobs are placed", () -> states(operations)
                        .equals(Map.of("refresh", JobState.ACTIVE, "settle", JobState.PAUSED)));
                for (JobSummary job : operations.jobs()) {
                    int present = (Integer) operations
                            .job(job.job())
                            .field("fenceEpoch")
                            .orElseThrow()
                            .effective();
                    operations.execute(new Command.SetOverride(job.job(), "fenceEpoch", present + 1), ADA);
                }
                Eventually.holds(
                        "the namespace is frozen", () -> operations.namespace().frozen() != null);
                assertThat(refresh.all())
                        .as("runs while the namespace is frozen")
                        .hasSize(refreshed);

                assertThat(operations.execute(new Command.Thaw(), ADA)).isInstanceOf(CommandResult.Applied.class);
                refresh.await("runs after the thaw", all -> all.size() >= refreshed + 4);
                assertThat(refresh.all().subList(refreshed, refreshed + 4))
                        .as("tokens after the largest token before, %d", lastToken)
                        .allMatch(run -> run.token() > lastToken);
                assertThat(settle.all()).as("runs of the paused job").hasSize(settled);

                Instant from = lost.minusSeconds(5);
                assertThat(operations.execute(new Command.Backfill("settle", from, lost), ADA))
                        .isInstanceOf(CommandResult.Applied.class);
                settle.await("the backfilled fires", all -> all.size() >= settled + 10);
                Eventually.holds("the end of the backfill", () -> operations.backfills().stream()
                        .allMatch(backfill -> backfill.state() == BackfillDetails.State.ENDED));
                Set<String> fires = settle.all().subList(settled, settled + 10).stream()
                        .map(Runs.Ran::fire)
                        .collect(Collectors.toSet());
                assertThat(fires).as("runs of the backfill: %s", fires).hasSize(5);
            }
        }
    }

    private static Map<String, JobState> states(Operations operations) {
        return operations.jobs().stream().collect(Collectors.toMap(JobSummary::job, JobSummary::state));
    }
}
