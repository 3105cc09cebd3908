package io.ostraka.examples.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.faults.ensemble.Ensemble;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ends processes of the settlement application while their jobs run, and judges the recorded runs. {@code
 * -Dostraka.rounds=n} restarts all processes n times.
 */
@Tag("spring")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class RollingRestartTest {
    private static final int PROCESSES = 3;
    private static final int ROUNDS = Integer.getInteger("ostraka.rounds", 1);
    private static final int TERMINATED = 143;
    private static final Duration GRACE = Processes.GRACE;
    private static final Map<String, Audit.Expected> JOBS = Map.of(
            "settle-orders", new Audit.Expected(Duration.ofSeconds(1), 6),
            "receive-orders", new Audit.Expected(Duration.ofSeconds(2), 2));
    /** How far the items may lag behind on a busy machine, or wait for their first assignment. */
    private static final Duration LAG = Duration.ofMinutes(2);

    @TempDir
    static Path directory;

    private static Ensemble zooKeeper;
    private static Database database;

    private Processes processes;

    @BeforeAll
    static void startServers() throws Exception {
        zooKeeper = Ensemble.start(directory.resolve("zookeeper"), 1);
        database = Database.start(directory);
    }

    @AfterAll
    static void endServers() {
        database.close();
        zooKeeper.close();
    }

    @BeforeEach
    void begin() {
        processes = new Processes(directory, zooKeeper, database);
    }

    @AfterEach
    void endProcesses() {
        processes.close();
    }

    private ApplicationProcess start(String... further) throws IOException {
        return processes.start(further);
    }

    private void awaitRunOf(ApplicationProcess process) throws InterruptedException {
        processes.awaitRunOf(process);
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        processes.await(condition);
    }

    /**
     * Waits until each item has begun a fire that was due at an instant or later. Gives up after {@link #LAG}: the audit
     * then finds the items that have stopped.
     */
    private void awaitAllItems(Instant since) throws InterruptedException {
        int items = JOBS.values().stream().mapToInt(Audit.Expected::items).sum();
        Instant limit = Instant.now().plus(LAG);
        await(() -> Recording.itemsSince(database.template(), since) == items
                || Instant.now().isAfter(limit));
    }

    /** @param end each item must have all its fires before this instant */
    private static Audit audit(Instant end) {
        return Audit.of(Recording.all(database.template()), JOBS, end);
    }

    private static long count(String condition) {
        return Objects.requireNonNull(
                database.template().queryForObject("SELECT COUNT(*) FROM " + condition, Long.class));
    }

    /** Returns the ephemeral nodes of the namespace. */
    private List<String> ephemeralNodes() {
        return zooKeeper.ephemerals().orElseThrow().stream()
                .filter(path -> path.contains(processes.namespace()))
                .toList();
    }

    @Test
    void rollingRestartLosesNoFireAndHandsNoneOver() throws Exception {
        List<ApplicationProcess> present = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            present.add(start());
        }
        for (ApplicationProcess each : present) {
            awaitRunOf(each);
        }
        awaitAllItems(Instant.EPOCH);
        List<Integer> exitCodes = new ArrayList<>();
        int runsAtSignal = 0;
        for (int restart = 0; restart < ROUNDS * PROCESSES; restart++) {
            ApplicationProcess old = present.remove(0);
            awaitRunOf(old);
            runsAtSignal += Recording.running(database.template(), old.pid());
            old.terminate();
            exitCodes.add(old.exitCode(GRACE));
            present.add(start());
            awaitRunOf(present.get(PROCESSES - 1));
        }
        Instant end = Instant.now();
        awaitAllItems(end);
        present.forEach(ApplicationProcess::terminate);
        for (ApplicationProcess each : present) {
            exitCodes.add(each.exitCode(GRACE));
        }

        Audit audit = audit(end);
        List<ApplicationProcess> started = processes.started();
        List<String> errors = processes.errors();
        System.out.printf(
                """
                rolling restart of %d processes, %d rounds, %s
                | processes | fires | runs at SIGTERM | lost | doubled | handed over | failed | ERROR lines | WARN lines | orders settled |
                |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
                | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |
                """,
                PROCESSES,
                ROUNDS,
                database.name(),
                started.size(),
                audit.fires(),
                runsAtSignal,
                audit.violations(Audit.Kind.LOST).size(),
                audit.violations(Audit.Kind.DOUBLED).size(),
                audit.violations(Audit.Kind.HANDED_OVER).size(),
                audit.violations(Audit.Kind.FAILED).size(),
                errors.size(),
                started.stream().mapToInt(process -> process.warnings().size()).sum(),
                count("settlement"));
        assertThat(audit.violations()).isEmpty();
        assertThat(errors).isEmpty();
        assertThat(exitCodes).hasSize(started.size()).containsOnly(TERMINATED);
        assertThat(runsAtSignal).as("runs at SIGTERM").isPositive();
        assertThat(count("settlement")).isPositive();
    }

    /**
     * Shows that the audit finds runs that a process does not end: without Spring's shutdown hook and, with several
     * rounds, after SIGKILL.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void auditFindsTheRunsOfAProcessThatDoesNotDrain(boolean shutdownHook) throws Exception {
        assumeTrue(!shutdownHook || ROUNDS > 1, "with SIGKILL only if -Dostraka.rounds is more than 1");
        String[] options = {
            "--ostraka.zookeeper.session-timeout=3s", "--spring.main.register-shutdown-hook=" + shutdownHook
        };
        ApplicationProcess ending = start(options);
        ApplicationProcess surviving = start(options);
        awaitRunOf(ending);
        awaitRunOf(surviving);
        awaitRunOf(ending);
        if (shutdownHook) {
            ending.kill();
        } else {
            ending.terminate();
            ending.exitCode(GRACE);
        }
        await(() -> count("run WHERE attempt > 1 AND outcome IS NOT NULL") > 0);
        surviving.terminate();
        surviving.exitCode(GRACE);

        assertThat(audit(Instant.EPOCH).violations(Audit.Kind.HANDED_OVER)).isNotEmpty();
    }

    @Test
    void failedStartLeavesNothingInZooKeeper() throws Exception {
        ApplicationProcess failing = start("--ostraka.lifecycle.start=refresh", "--failing=true");
        await(() -> count("run") > 0);
        assertThat(ephemeralNodes()).isNotEmpty();

        assertThat(failing.exitCode(GRACE)).isEqualTo(1);

        assertThat(failing.log()).contains("the start fails on purpose");
        assertThat(ephemeralNodes()).isEmpty();
        Audit audit = audit(Instant.EPOCH);
        assertThat(audit.violations(Audit.Kind.HANDED_OVER)).isEmpty();
        assertThat(audit.violations(Audit.Kind.FAILED)).isEmpty();
    }
}
