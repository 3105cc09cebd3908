package io.ostraka.faults.kills;

import io.ostraka.api.operations.Operations;
import io.ostraka.faults.database.HistoryAccess;
import io.ostraka.faults.database.HistoryComparison;
import io.ostraka.faults.database.Successor;
import io.ostraka.faults.ensemble.Ensemble;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.RecordedClaim;
import io.ostraka.faults.history.RecordedClaim.Decision;
import io.ostraka.faults.history.RecordedClaims;
import io.ostraka.fixtures.database.PostgreSqlServer;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.history.Account;
import io.ostraka.lite.ZooKeeperOperations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs one worker after the other with a quick job, and kills each of them at a random moment shortly after a run. At
 * this moment, the row of the run is not in the spool yet, is in the spool, or is in the database.
 */
final class HistoryKills implements AutoCloseable {
    private static final int LONGEST_DELAY_MILLIS = 1_500;
    private static final Duration FIRST_RUN = Duration.ofMinutes(2);
    private static final Duration DRAINING = Duration.ofMinutes(1);
    private static final Duration BEFORE = Duration.ofMinutes(1);

    private final Options options;
    private final Path directory;
    private final Ensemble ensemble;
    private final PostgreSqlServer database;
    private final HistoryAccess access;
    private final Random random;
    private final BlockingQueue<String> runs = new LinkedBlockingQueue<>();
    private long lastPid;

    /**
     * The options of the command.
     *
     * @param kills number of kills
     * @param deletesSpool true to delete the spools after each kill, as if they had been lost with their disk
     * @param backToBack true if the items run without a pause; false if they run every second
     * @param seed determines the moments of the kills
     */
    record Options(int kills, boolean deletesSpool, boolean backToBack, long seed) {}

    /**
     * The findings after all kills.
     *
     * @param compared comparison of the rows with the servers' logs
     * @param unexplained missing rows that neither a kill nor a deleted spool explains
     * @param unknown unknown parts of the account
     * @param absent claims that have ended without a row, and that no unknown part of the account covers
     */
    record Result(
            HistoryComparison compared,
            List<String> unexplained,
            List<Account.Entry> unknown,
            List<RecordedClaim> absent) {
        /**
         * Returns whether the history kept its promises. Rows that were not written because the process was killed do
         * not count.
         */
        boolean held() {
            return compared.violations().isEmpty() && unexplained.isEmpty() && absent.isEmpty();
        }
    }

    HistoryKills(Options options, Path directory) throws IOException {
        this.options = options;
        this.directory = Files.createDirectories(directory);
        this.random = new Random(options.seed);
        this.ensemble = Ensemble.start(Files.createDirectories(directory.resolve("servers")), 1);
        this.database = PostgreSqlServer.start();
        this.access = HistoryAccess.of(database.url(), directory.resolve("spool"));
    }

    /** Kills all workers except the last one, and returns the findings. */
    Result run(Consumer<String> log) throws IOException, InterruptedException, SQLException {
        Instant begun = Instant.now();
        ensemble.awaitServing();
        for (int kill = 1; kill <= options.kills; kill++) {
            try (RunningProgram worker = start()) {
                awaitRun();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_DELAY_MILLIS + 1));
                worker.kill();
            }
            if (options.deletesSpool) {
                deleteSpools();
            }
            log.accept("kill " + kill + " of " + options.kills);
        }
        try (RunningProgram last = start()) {
            lastPid = last.pid();
            awaitRun();
            last.tell("leave");
            last.onExit().join();
        }
        return result(begun);
    }

    private RunningProgram start() throws IOException {
        runs.clear();
        return Program.java(QuickWorkerProgram.class)
                .log(directory.resolve("workers.log"))
                .jvm("-Xmx96m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .arguments(ensemble.servers(), access.url(), access.spool(), options.backToBack)
                .start(runs::add);
    }

    private void awaitRun() throws InterruptedException {
        if (runs.poll(FIRST_RUN.toSeconds(), TimeUnit.SECONDS) == null) {
            throw new IllegalStateException("no item has run within " + FIRST_RUN.toSeconds() + " s; see "
                    + directory.resolve("workers.log").toAbsolutePath());
        }
    }

    private void deleteSpools() throws IOException {
        Path spools = Path.of(access.spool());
        if (Files.exists(spools)) {
            try (Stream<Path> all = Files.walk(spools)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private Result result(Instant begun) throws IOException, InterruptedException, SQLException {
        List<Event.Transaction> committed = ensemble.transactionLogs().of(QuickWorkerProgram.NAMESPACE);
        List<RecordedClaim> claims = RecordedClaims.of(committed);
        try (var successor = new Successor(access, QuickWorkerProgram.NAMESPACE);
                var zookeeper = ZooKeeperOperations.connect(ensemble.servers(), QuickWorkerProgram.NAMESPACE)) {
            if (!successor.drain(DRAINING)) {
                throw new IllegalStateException("the spools were not delivered within " + DRAINING.toSeconds() + " s");
            }
            HistoryComparison compared = HistoryComparison.of(claims, successor.stored());
            Operations operations = zookeeper.operations();
            Account account = successor.account(operations, QuickWorkerProgram.JOB, begun.minus(BEFORE), Instant.now());
            if (account.refusal() != null) {
                throw new IllegalStateException("no account: " + account.refusal());
            }
            List<Account.Entry> unknown = account.entries().stream()
                    .filter(entry -> entry.state() == Account.State.UNKNOWN)
                    .toList();
            List<RecordedClaim> absent = compared.missing().stream()
                    .filter(claim -> claim.decision() == Decision.ENDED || claim.decision() == Decision.LOST)
                    .filter(claim -> unknown.stream().noneMatch(entry -> covers(entry, claim)))
                    .toList();
            List<String> unexplained = options.deletesSpool
                    ? List.of()
                    : compared.unexplained(claims, process -> !process.endsWith("@" + lastPid));
            return new Result(compared, unexplained, unknown, absent);
        }
    }

    /** Returns whether the account shows the fire of a claim as unknown. */
    private static boolean covers(Account.Entry entry, RecordedClaim claim) {
        return entry.item().equals(claim.item().key())
                && entry.from().toEpochMilli() <= claim.cursorBefore().toEpochMilli()
                && entry.to().toEpochMilli() >= claim.cursorAfter().toEpochMilli();
    }

    @Override
    public void close() {
        database.close();
        ensemble.close();
    }
}
