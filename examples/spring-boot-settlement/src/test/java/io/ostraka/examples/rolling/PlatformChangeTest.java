package io.ostraka.examples.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.examples.platform.ReferencePlatform;
import io.ostraka.examples.platform.SecretFiles;
import io.ostraka.faults.ensemble.Ensemble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes a schedule on a platform while three processes of the settlement application run. {@code -Dostraka.rounds=n}
 * changes it n times to and fro.
 */
@Tag("spring")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class PlatformChangeTest {
    private static final int PROCESSES = 3;
    private static final int ROUNDS = Integer.getInteger("ostraka.rounds", 1);
    private static final int ITEMS = 6;
    private static final String APPLICATION = "settlement";
    /** Two schedules with the same period, so far apart that a busy machine decides each fire before the next. */
    private static final List<String> SCHEDULES = List.of("0/10 * * * * ?", "5/10 * * * * ?");

    private static final Pattern CONFIRMED = Pattern.compile("revision (\\d+) of the platform is confirmed");
    private static final Pattern IN_EFFECT = Pattern.compile("revision (\\d+) of the platform is in effect");

    @TempDir
    Path directory;

    private SecretFiles.Credentials keys;

    @Test
    void changedScheduleLosesAndDoublesNoFireAndAllProcessesFollow() throws Exception {
        Path files = Files.createDirectory(directory.resolve("platform"));
        keys = SecretFiles.create(files, APPLICATION, "test");
        publish(files, 1);
        try (Ensemble zooKeeper = Ensemble.start(directory.resolve("zookeeper"), 1);
                Database database = Database.start(directory);
                ReferencePlatform platform = ReferencePlatform.start(files);
                Processes processes = new Processes(directory, zooKeeper, database)) {
            for (int i = 0; i < PROCESSES; i++) {
                processes.start(remote(platform));
            }
            awaitFire(processes, database, Instant.EPOCH);
            List<Long> confirmations = new ArrayList<>();
            for (int revision = 2; revision <= 1 + 2 * ROUNDS; revision++) {
                confirmations.addAll(change(files, revision, processes));
                awaitFire(processes, database, Instant.now());
            }
            Instant end = Instant.now();
            for (ApplicationProcess each : processes.started()) {
                each.terminate();
            }
            for (ApplicationProcess each : processes.started()) {
                each.exitCode(Processes.GRACE);
            }

            List<Run> runs = Recording.all(database.template());
            Map<Integer, List<Instant>> fires = fires(runs);
            System.out.printf(
                    "%d changes of a schedule on the platform, %d processes: %d fires of %d items; requests of a process"
                            + " after a change that confirmed the old revision: %d at most%n",
                    2 * ROUNDS,
                    PROCESSES,
                    fires.values().stream().mapToInt(List::size).sum(),
                    ITEMS,
                    confirmations.stream().mapToLong(Long::longValue).max().orElseThrow());
            assertThat(fires).hasSize(ITEMS);
            Instant first = fires.values().stream()
                    .map(each -> each.get(0))
                    .max(Instant::compareTo)
                    .orElseThrow();
            List<Instant> expected =
                    fires.get(0).stream().filter(fire -> !fire.isBefore(first)).toList();
            assertThat(fires.values()).allSatisfy(each -> {
                assertThat(each).as("none doubled").doesNotHaveDuplicates();
                assertThat(each.stream().filter(fire -> !fire.isBefore(first)))
                        .as("none lost")
                        .containsExactlyElementsOf(expected);
            });
            for (int i = 1; i < expected.size(); i++) {
                assertThat(Duration.between(expected.get(i - 1), expected.get(i)))
                        .as("none lost by all items: 10 s apart, or 5 s or 15 s at a change")
                        .isIn(Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(15));
            }
            assertThat(Audit.of(runs, Map.of("receive-orders", new Audit.Expected(Duration.ofSeconds(2), 2)), end)
                            .violations())
                    .as("the job whose schedule did not change")
                    .isEmpty();
            assertThat(confirmations)
                    .as("each process follows at its second request at the latest")
                    .allMatch(count -> count <= 1);
            assertThat(processes.errors()).isEmpty();
        }
    }

    private String[] remote(ReferencePlatform platform) {
        return new String[] {
            "--ostraka.remote.url=" + platform.address(),
            "--ostraka.remote.application=" + APPLICATION,
            "--ostraka.remote.environment=test",
            "--ostraka.remote.key-id=" + keys.keyId(),
            "--ostraka.remote.key=" + read(keys.key()),
            "--ostraka.remote.trusted-keys." + keys.signingId() + "=" + keys.publicKey(),
            "--ostraka.remote.poll-interval=1s",
            "--logging.level.io.ostraka.remote=debug"
        };
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void publish(Path files, int revision) throws IOException {
        Path next = Files.createDirectories(files.resolve(APPLICATION)).resolve("next.json");
        Files.writeString(
                next,
                """
                {"revision": %d, "jobs": {"receive-orders": {}, "settle-orders": {
                    "schedule": {"type": "cron", "expression": "%s", "zone": "UTC"}}}}
                """
                        .formatted(revision, SCHEDULES.get((revision - 1) % 2)));
        Files.move(next, next.resolveSibling("test.json"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Publishes a revision and waits until all processes follow. Returns, for each process, the number of its requests
     * that the platform answered with the old revision although it was published before them.
     */
    private static List<Long> change(Path files, int revision, Processes processes) throws Exception {
        publish(files, revision);
        List<Long> before = processes.started().stream()
                .map(each -> count(each, CONFIRMED, revision - 1))
                .toList();
        List<Long> old = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            ApplicationProcess process = processes.started().get(i);
            processes.await(() -> count(process, IN_EFFECT, revision) > 0);
            old.add(count(process, CONFIRMED, revision - 1) - before.get(i));
        }
        return old;
    }

    private static long count(ApplicationProcess process, Pattern line, int revision) {
        return line.matcher(process.log())
                .results()
                .filter(found -> found.group(1).equals(String.valueOf(revision)))
                .count();
    }

    /** Waits until each item of the job has completed a fire that was due at an instant or later. */
    private static void awaitFire(Processes processes, Database database, Instant since) throws InterruptedException {
        processes.await(() -> Objects.requireNonNull(database.template()
                        .queryForObject(
                                "SELECT COUNT(*) FROM (SELECT item FROM run WHERE job = 'settle-orders' AND fire >= ?"
                                        + " AND outcome IS NOT NULL GROUP BY item) item",
                                Integer.class,
                                since.toEpochMilli()))
                == ITEMS);
    }

    /** Returns the completed fires of each item of the job, in their order. */
    private static Map<Integer, List<Instant>> fires(List<Run> runs) {
        Map<Integer, List<Instant>> fires = new TreeMap<>();
        runs.stream()
                .filter(run -> run.job().equals("settle-orders") && Run.COMPLETED.equals(run.outcome()))
                .forEach(run -> fires.computeIfAbsent(run.item(), item -> new ArrayList<>())
                        .add(run.fire()));
        assertThat(new HashSet<>(fires.keySet())).hasSize(ITEMS);
        fires.values().forEach(each -> each.sort(Instant::compareTo));
        return fires;
    }
}
