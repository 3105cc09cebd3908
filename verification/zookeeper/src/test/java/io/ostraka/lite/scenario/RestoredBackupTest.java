package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows the runbook for a lost ensemble in {@code docs/operations.md}, in the case that a backup exists. The test
 * copies the files of a real server while jobs run. After more fires, it starts a server with the copy.
 */
@Tag("cluster")
@Timeout(180)
class RestoredBackupTest {
    private static final CommandOptions ADA = CommandOptions.by("ada");

    /** Far more writes than there are between the restore and the first run. */
    private static final int WRITES = 5_000;

    private final Runs settle = new Runs();
    private final Runs report = new Runs();
    private final CountDownLatch backupTaken = new CountDownLatch(1);

    private static ZooKeeperRegistry registry(CountingServer server) {
        return ZooKeeperRegistry.newBuilder(server.servers(), "orders")
                .sessionTimeout(Duration.ofSeconds(30))
                .shutdownHook(false)
                .connect();
    }

    /** Deploys two jobs that catch up on all fires. The runs of the second job wait until the backup has been taken. */
    private void deploy(ZooKeeperRegistry registry) {
        deploy(registry, "settle", 2, settle.recording());
        deploy(registry, "report", 1, report.recording(context -> backupTaken.await()));
    }

    private static void deploy(ZooKeeperRegistry registry, String job, int items, SimpleJob code) {
        JobConfiguration configuration = JobConfiguration.newBuilder(job, items)
                .schedule(Schedule.cron("* * * * * ?"))
                .misfire(MisfirePolicy.fireAll(1_000))
                .misfireThreshold(Duration.ofMinutes(10))
                .build();
        new ScheduleJobBootstrap(registry, code, configuration).schedule();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.forEach(file -> {
                try {
                    Files.copy(file, to.resolve(from.relativize(file).toString()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /**
     * Makes many writes, like other applications. Tokens contain a transaction number, so they are much larger
     * afterwards.
     */
    private static void writeMuch(CountingServer server) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(WRITES);
        try (ZooKeeper other = new ZooKeeper(server.servers(), 20_000, event -> connected.countDown())) {
            connected.await();
            other.create("/other", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            for (int i = 0; i < WRITES; i++) {
                other.setData("/other", new byte[0], -1, (code, path, context, stat) -> written.countDown(), null);
            }
            written.await();
        }
    }

    private static Set<String> fires(List<Runs.Ran> runs) {
        return runs.stream().map(Runs.Ran::fire).collect(Collectors.toSet());
    }

    private static List<ItemDetails> items(Operations operations, String job) {
        return operations.items(job, Set.of());
    }

    @Test
    void runbookRestoresABackupWithoutRunningItsFiresAgain(@TempDir Path directory) throws Exception {
        Path backup = directory.resolve("backup");
        Path first = Files.createDirectory(directory.resolve("first"));
        try (CountingServer server = new CountingServer(first);
                ZooKeeperRegistry registry = registry(server)) {
            deploy(registry);
            settle.await("runs before the backup", all -> all.size() >= 4);
            report.await("a run during the backup", all -> all.size() == 1);
            copy(first, backup);
            writeMuch(server);
            backupTaken.countDown();
            int copied = settle.all().size();
            settle.await("runs after the backup", all -> all.size() >= copied + 6);
            report.await("runs after the backup", all -> all.size() >= 3);
        }
        int settled = settle.all().size();
        int reported = report.all().size();
        long lastToken = Stream.concat(settle.all().stream(), report.all().stream())
                .mapToLong(Runs.Ran::token)
                .max()
                .orElseThrow();
        Set<String> ran = fires(settle.all());
        Instant lost = Instant.now();

        try (CountingServer server = new CountingServer(backup);
                ZooKeeperOperations observer = ZooKeeperOperations.connect(server.servers(), "orders")) {
            Operations operations = observer.operations();
            assertThat(operations.execute(new Command.Freeze(null), ADA)).isInstanceOf(CommandResult.Applied.class);
            try (ZooKeeperRegistry registry = registry(server)) {
                deploy(registry);
                Eventually.holds("this instance has all items, and no former one is left", () -> Stream.of(
                                "settle", "report")
                        .flatMap(job -> items(operations, job).stream())
                        .allMatch(item -> Optional.ofNullable(item.owner()).equals(registry.instanceId())));
                for (String job : List.of("settle", "report")) {
                    operations.execute(new Command.SetOverride(job, "fenceEpoch", 1), ADA);
                }
                assertThat(items(operations, "settle"))
                        .as("old cursors")
                        .allSatisfy(item -> assertThat(item.decidedUpTo()).isBefore(lost.minusSeconds(2)));
                assertThat(items(operations, "report"))
                        .as("the run during the backup")
                        .allSatisfy(item -> assertThat(item.state()).isEqualTo(ItemDetails.State.INTERRUPTED));
                for (String job : List.of("settle", "report")) {
                    for (ItemDetails item : items(operations, job)) {
                        if (item.state() == ItemDetails.State.INTERRUPTED) {
                            String fire = Objects.requireNonNull(item.run()).runId();
                            operations.execute(new Command.StopFire(job, item.item(), fire), ADA);
                        }
                    }
                    assertThat(operations.execute(new Command.SkipFires(job, lost), ADA))
                            .isInstanceOf(CommandResult.Applied.class);
                }
                assertThat(settle.all())
                        .as("runs while the namespace is frozen")
                        .hasSize(settled);
                assertThat(report.all())
                        .as("runs while the namespace is frozen")
                        .hasSize(reported);

                for (String job : List.of("settle", "report")) { // not Operations.jobs(), because its list may be older
                    Eventually.holds(
                            "the leader has copied the changes of " + job,
                            () -> operations.job(job).summary().stateText().isEmpty());
                }
                operations.execute(new Command.Thaw(), ADA);
                settle.await("runs after the thaw", all -> all.size() >= settled + 4);
                report.await("runs after the thaw", all -> all.size() >= reported + 2);
            }
        }
        List<Runs.Ran> later = settle.all().subList(settled, settle.all().size());
        List<Runs.Ran> reports = report.all().subList(reported, report.all().size());
        assertThat(fires(later)).as("fires after the restore").doesNotContainAnyElementsOf(ran);
        assertThat(fires(reports))
                .as("fires after the restore")
                .doesNotContainAnyElementsOf(fires(report.all().subList(0, reported)));
        assertThat(Stream.concat(later.stream(), reports.stream()))
                .as("tokens after the largest token before, %d", lastToken)
                .allMatch(run -> run.token() > lastToken);
    }
}
