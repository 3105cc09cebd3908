package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.FireTriggered;
import io.ostraka.api.event.JobConfigured;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.PastRun;
import io.ostraka.fixtures.Eventually;
import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.HourlyRollup;
import io.ostraka.history.jdbc.RunSummary;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.spool.SpoolDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The way of events through the spool into a database. */
class HistoryTest {
    private static final Instant FIRE = Instant.parse("2026-11-26T12:00:00Z");

    @TempDir
    Path directory;

    private final JdbcDataSource database = new JdbcDataSource();
    private final SwitchedSource source = new SwitchedSource(database);
    private final List<@Nullable String> problems = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger losses = new AtomicInteger();
    private final List<History> open = new ArrayList<>();

    HistoryTest() {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    @AfterEach
    void close() {
        open.forEach(History::close);
    }

    private HistoryBuilder builder() {
        return History.newBuilder(source.source(), directory.resolve("spool")).closeTimeout(Duration.ofSeconds(1));
    }

    private History started(HistoryBuilder builder, String namespace) {
        History history = builder.build();
        open.add(history);
        start(history, namespace);
        return history;
    }

    private void start(History history, String namespace) {
        history.started(new SubscriberContext() {
            @Override
            public String namespace() {
                return namespace;
            }

            @Override
            public Load load() {
                throw new UnsupportedOperationException();
            }

            @Override
            public void problem(@Nullable String text) {
                problems.add(text);
            }

            @Override
            public void historyLost() {
                losses.incrementAndGet();
            }
        });
    }

    private History started() {
        return started(builder(), "orders");
    }

    private static RunEnded ended(String job, long number) {
        Instant fire = FIRE.plusSeconds(number);
        Claim claim = new Claim(
                job,
                "0",
                1,
                job + "@" + fire,
                fire,
                false,
                1,
                1,
                number,
                "nonce-" + number,
                number,
                fire.minusSeconds(1),
                fire.minusSeconds(1),
                "i1",
                fire);
        return new RunEnded(claim, 1, ItemOutcome.SUCCEEDED, null, fire, Duration.ofMillis(5), fire, fire);
    }

    /** Returns the ends of runs with run times of 0.25 ms to 2 s, spread over two hours. */
    private static List<Event> ends(String job, int runs) {
        List<Event> ends = new ArrayList<>();
        for (int i = 1; i <= runs; i++) {
            RunEnded end = ended(job, i * 7_200L / runs);
            ends.add(new RunEnded(
                    end.claim(),
                    1,
                    i % 5 == 0 ? ItemOutcome.FAILED : ItemOutcome.SUCCEEDED,
                    null,
                    end.at(),
                    Duration.ofNanos(250_000L << i % 14),
                    end.cursor(),
                    end.at()));
        }
        return ends;
    }

    private static void delivered(History history, long rows) throws InterruptedException {
        Eventually.holds(
                "delivery",
                () -> history.statistics().waitingBytes() == 0
                        && history.statistics().delivered()
                                        + history.statistics().rejected()
                                >= rows);
    }

    private static List<ClaimReport> runs(History history, String job) throws SQLException {
        return history.queries().claimsOfItem(job, "0", null, 1_000).rows();
    }

    private static long counted(History history, String job) throws SQLException {
        return rollups(history, job).stream().mapToLong(HourlyRollup::count).sum();
    }

    private static List<HourlyRollup> rollups(History history, String job) throws SQLException {
        return history.queries()
                .rollups(job, FIRE.minus(Duration.ofDays(1)), FIRE.plus(Duration.ofDays(1)), null, 1_000)
                .rows();
    }

    /** Returns a level at which runs have no rows of their own. */
    private static JobConfigured onlyCounted(String job) {
        return new JobConfigured(
                JobConfiguration.newBuilder(job, 1).history(HistoryLevel.NONE).build(), "i1", FIRE);
    }

    private static RunEnded failed(String runId, Instant fireTime, String item) {
        boolean triggered = !runId.startsWith("settle@");
        Claim claim = new Claim(
                "settle",
                item,
                1,
                runId,
                fireTime,
                triggered,
                3,
                1,
                1,
                "nonce-" + runId + item,
                1,
                FIRE,
                FIRE,
                "i1",
                FIRE);
        return new RunEnded(claim, 1, ItemOutcome.FAILED, "broken", FIRE, Duration.ofMillis(5), FIRE, FIRE);
    }

    private static FireTriggered triggered(String runId, Instant fireTime, Map<String, String> parameters) {
        return new FireTriggered("settle", runId, FIRE, fireTime, 3, "ann", null, null, parameters, "i1", FIRE);
    }

    @Test
    void aPastRunRunsAgainWithItsExactParametersOrNone() throws Exception {
        History history =
                started(builder().redactor((job, kind, name, text) -> name.equals("card") ? "***" : text), "orders");
        Instant monday = FIRE.minus(Duration.ofDays(3));
        String longest = "9".repeat(15_000);
        history.on(triggered("open", monday, Map.of("day", "monday", "ids", longest)));
        history.on(failed("open", monday, "2"));
        history.on(triggered("secret", FIRE, Map.of("day", "monday", "card", "4711")));
        history.on(failed("secret", FIRE, "0"));
        history.on(failed("settle@" + FIRE, FIRE, "1"));
        delivered(history, 5);

        assertThat(Repeatable.find(history.queries(), "settle", "open"))
                .contains(new Repeatable(new PastRun(monday, 3, Map.of("day", "monday", "ids", longest)), Set.of("2")));
        assertThat(Repeatable.find(history.queries(), "settle", "secret"))
                .contains(new Repeatable(new PastRun(FIRE, 3, null), Set.of("0")));
        assertThat(Repeatable.find(history.queries(), "settle", "settle@" + FIRE))
                .contains(new Repeatable(new PastRun(FIRE, 3, Map.of()), Set.of("1")));
        assertThat(Repeatable.find(history.queries(), "settle", "another")).isEmpty();
    }

    @Test
    void aRunThatHasEndedIsInTheDatabase() throws Exception {
        History history = started();
        history.on(ended("settle", 1));
        delivered(history, 1);
        assertThat(runs(history, "settle")).singleElement().satisfies(run -> {
            assertThat(run.outcome()).isEqualTo("SUCCEEDED");
            assertThat(run.ran()).isEqualTo(Duration.ofMillis(5));
        });
        List<RunSummary> fires = history.queries().runs("settle", null, 10).rows();
        assertThat(fires).singleElement().extracting(RunSummary::fireTime).isEqualTo(FIRE.plusSeconds(1));
    }

    @Test
    void runsThatEndTogetherAndAreOnlyCountedNeedOneRow() throws Exception {
        History history = started();
        history.on(onlyCounted("settle"));
        history.on(LongStream.rangeClosed(1, 100)
                .<Event>mapToObj(number -> ended("settle", number))
                .toList());
        delivered(history, 2);
        assertThat(history.statistics().delivered())
                .as("the level, and one row")
                .isEqualTo(2);
        assertThat(counted(history, "settle")).isEqualTo(100);
    }

    @Test
    void runsThatEndTogetherChangeTheRollUpLikeSingleOnes() throws Exception {
        History history = started();
        for (String job : List.of("together", "single")) {
            history.on(onlyCounted(job));
        }
        history.on(ends("together", 100));
        ends("single", 100).forEach(history::on);
        Eventually.holds("delivery", () -> history.statistics().waitingBytes() == 0);
        List<HourlyRollup> single = rollups(history, "single");
        assertThat(single).hasSizeGreaterThan(4);
        assertThat(rollups(history, "together")).isEqualTo(single);
    }

    @Test
    void anEventThatFailsDoesNotCostTheRowsOfOthers() throws Exception {
        History history = started();
        List<Event> events = List.of(ended("settle", 1), new JobConfigured(null, "i1", FIRE), ended("settle", 2));
        assertThatNullPointerException().isThrownBy(() -> history.on(events));
        delivered(history, 2);
        assertThat(runs(history, "settle")).hasSize(2);
    }

    @Test
    void rowsWaitForADatabaseThatIsAwayAndTheHealthNamesIt() throws Exception {
        source.away(true);
        History history = started();
        for (int i = 1; i <= 100; i++) {
            history.on(ended("settle", i));
        }
        Eventually.holds("delivery", () -> history.statistics().delayedSince() != null);
        assertThat(history.statistics().waitingBytes()).isPositive();
        source.away(false);
        delivered(history, 100);
        Eventually.holds("the delay has ended", () -> history.statistics().delayedSince() == null);
        assertThat(runs(history, "settle")).hasSize(100);
    }

    /** A connection that breaks after its commit leaves the writer without an answer. */
    @Tag("slow")
    @Test
    void noRowCountsTwiceAlthoughConnectionsBreakAtAnyTime() throws Exception {
        History history = started();
        long seed = 26;
        var random = new Random(seed);
        int rows = 900;
        for (int i = 1; i <= rows; i++) {
            history.on(ended("settle", i));
            switch (random.nextInt(150)) {
                case 0 -> source.away(true);
                case 1, 2 -> source.breakAfterCommits(1);
                default -> {
                    if (random.nextInt(20) == 0) {
                        source.away(false);
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                }
            }
        }
        source.away(false);
        source.breakAfterCommits(1);
        history.on(ended("settle", rows + 1));
        Eventually.holds(
                "delivery", () -> source.broken() && history.statistics().waitingBytes() == 0);
        assertThat(runs(history, "settle")).hasSize(rows + 1);
        assertThat(counted(history, "settle")).isEqualTo(rows + 1);
    }

    @Test
    void aRowThatTheDatabaseRefusesDoesNotHoldUpTheOthers() throws Exception {
        source.away(true);
        History history = started();
        String tooLong = "j".repeat(200);
        for (int i = 1; i <= 100; i++) {
            history.on(ended(i % 40 == 7 ? tooLong : "settle", i));
        }
        source.away(false);
        delivered(history, 100);
        assertThat(history.statistics().rejected()).isEqualTo(3);
        assertThat(runs(history, "settle")).hasSize(97);
        assertThat(counted(history, "settle")).isEqualTo(97);
        assertThat(Files.readAllLines(directory.resolve("spool/rejected.txt")))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).contains(tooLong));
    }

    @Test
    void theNextProcessDeliversWhatAnEndedOneLeaves() throws Exception {
        source.away(true);
        History first = started();
        for (int i = 1; i <= 10; i++) {
            first.on(ended("settle", i));
        }
        first.close();
        source.away(false);
        History second = started();
        second.on(ended("settle", 11));
        delivered(second, 11);
        assertThat(runs(second, "settle")).hasSize(11);
        Eventually.holds("delivery", () -> spools() == 1);
    }

    private long spools() {
        try (Stream<Path> all = Files.list(directory.resolve("spool/orders"))) {
            return all.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aClosedHistoryWhoseRowsAreDeliveredLeavesNoFiles() throws Exception {
        History history = started(builder().closeTimeout(Duration.ofMinutes(1)), "orders");
        history.on(ended("settle", 1));
        history.close();
        assertThat(spools()).isZero();
    }

    @Test
    void namespacesShareADatabase() throws Exception {
        History eu = started(builder(), "eu");
        History us = started(builder(), "us");
        eu.on(ended("settle", 1));
        us.on(ended("settle", 1));
        us.on(ended("settle", 2));
        delivered(eu, 1);
        delivered(us, 2);
        assertThat(runs(eu, "settle")).hasSize(1);
        assertThat(runs(us, "settle")).hasSize(2);
    }

    @Test
    void aJobWithTheLevelNoneHasRollUpsAndNoRows() throws Exception {
        History history = started();
        history.on(new JobConfigured(
                JobConfiguration.newBuilder("settle", 1)
                        .history(HistoryLevel.NONE)
                        .build(),
                "i1",
                FIRE));
        history.on(ended("settle", 1));
        delivered(history, 2);
        assertThat(runs(history, "settle")).isEmpty();
        assertThat(counted(history, "settle")).isEqualTo(1);
    }

    @Test
    void missingTablesAreNamedAndTheRowsWait() throws Exception {
        History validating = started(builder().schema(SchemaMode.VALIDATE), "orders");
        validating.on(ended("settle", 1));
        Eventually.holds("delivery", () -> validating.statistics().delayedSince() != null);
        assertThat(validating.statistics().waitingBytes()).isPositive();
        History creating = started();
        creating.on(ended("settle", 2));
        delivered(creating, 1);
        delivered(validating, 1);
        assertThat(runs(creating, "settle")).hasSize(2);
    }

    @Test
    void auditStepsAreStoredInTheirOrder() throws Exception {
        History history = started();
        for (String outcome : new String[] {null, "DONE"}) {
            history.audit(
                    "settle",
                    new AuditEntry(
                            FIRE,
                            "request",
                            "ada",
                            "cli",
                            "OPERATOR",
                            "PAUSE",
                            "settle",
                            "why",
                            "until=null",
                            outcome));
        }
        delivered(history, 2);
        assertThat(history.queries().audit(null, 10).rows())
                .extracting(AuditEntry::outcome)
                .containsExactly("DONE", null);
    }

    @Test
    void theRedactorReceivesTheJobOfAnAuditedCommand() throws Exception {
        List<@Nullable String> jobs = Collections.synchronizedList(new ArrayList<>());
        History history = started(
                builder().redactor((job, kind, name, text) -> {
                    jobs.add(job);
                    return text;
                }),
                "orders");
        Operations plain = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Operations.class},
                (proxy, method, arguments) -> new CommandResult.Applied(1, "", "done"));
        Operations operations = history.audited(plain, "cli", "ADMIN");
        operations.execute(new Command.Pause("settle"), CommandOptions.by("ada").because("it fails"));
        operations.execute(new Command.Thaw(), CommandOptions.by("ada").because("it works again"));
        assertThat(jobs).containsExactly("settle", "settle", "settle", null, null, null);
    }

    @ParameterizedTest
    @CsvSource({
        "CONFLICT: bob: card 4711 was refused, CONFLICT: bob: card *** was refused",
        "REFUSED: 4711, REFUSED: ***",
        "4711, ***"
    })
    void theOutcomeOfACommandPassesTheRedactor(String outcome, String stored) {
        Texts texts = new Texts((job, kind, name, text) -> text.contains("CONFLICT") || text.contains("REFUSED")
                ? "no kind of outcome"
                : text.replace("4711", "***"));
        AuditEntry entry =
                new AuditEntry(FIRE, "request", "ada", "cli", "ADMIN", "PAUSE", "settle", "", "until=null", outcome);
        assertThat(texts.redacted("settle", entry).outcome()).isEqualTo(stored);
    }

    @Test
    void theRedactorIsCalledOnOneThreadAtATime() throws Exception {
        var inside = new AtomicInteger();
        var together = new AtomicInteger();
        CountDownLatch entered = new CountDownLatch(1);
        History history = started(
                builder().redactor((job, kind, name, text) -> {
                    together.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    entered.countDown();
                    for (int i = 0; i < 1_000; i++) {
                        Thread.yield();
                    }
                    inside.decrementAndGet();
                    return text;
                }),
                "orders");
        CompletableFuture<Void> command = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 20; i++) {
                history.audit(
                        "settle",
                        new AuditEntry(FIRE, "r", "ada", "cli", "ADMIN", "PAUSE", "settle", "why", "until=null", null));
            }
        });
        entered.await();
        for (int i = 0; !command.isDone(); i++) {
            history.on(List.of(failed("settle@" + FIRE, FIRE, "" + i)));
        }
        command.get();
        assertThat(together).hasValue(1);
    }

    /** The redactor is the place where a report still waits when the history closes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReportDuringTheCloseIsNotLostInSilence(boolean audit) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        History history = started(
                builder().redactor((job, kind, name, text) -> {
                    entered.countDown();
                    try {
                        closed.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return text;
                }),
                "orders");
        CompletableFuture<Void> report = CompletableFuture.runAsync(() -> {
            if (audit) {
                history.audit(
                        "settle",
                        new AuditEntry(FIRE, "r", "ada", "cli", "ADMIN", "PAUSE", "settle", "why", "until=null", null));
            } else {
                history.on(List.of(failed("settle@" + FIRE, FIRE, "1")));
            }
        });
        entered.await();
        history.close();
        closed.countDown();
        if (audit) {
            assertThatThrownBy(report::get).hasCauseInstanceOf(IllegalStateException.class);
        } else {
            report.get();
            assertThat(losses).hasValue(1);
        }
    }

    /** The files belong to the next process on the host after the close. */
    @Test
    void theThreadOfAClosedHistoryLeavesTheSpoolsToOthers() throws Exception {
        Path spool = directory.resolve("spool");
        source.hold();
        History history = started(builder().closeTimeout(Duration.ZERO), "orders");
        history.on(ended("settle", 1));
        Thread thread = source.held();
        try (SpoolDirectory dead = SpoolDirectory.open(spool, "orders", 1 << 20)) {
            dead.append(List.of(new Measurement("settle", FIRE, "SUCCEEDED", 1, null)));
        }
        history.close();
        source.release();
        thread.join();
        try (SpoolDirectory next = SpoolDirectory.open(spool, "orders", 1 << 20)) {
            assertThat(next.spools()).as("its own spool and two others").hasSize(3);
        }
    }

    @Test
    void aHistoryForgetsTheLeadershipAndTheLevelsOfAnEarlierRegistry() throws Exception {
        var configured =
                new JobConfigured(JobConfiguration.newBuilder("settle", 1).build(), "i1", FIRE);
        History history = started(builder().retention(Retention.DEFAULT.withRuns(Duration.ofDays(1))), "eu");
        history.on(new LeaderChanged(true, "i1", FIRE));
        history.on(configured);
        delivered(history, 1);
        history.close();
        start(history, "us");
        history.on(ended("settle", -Duration.ofDays(1_000).toSeconds()));
        delivered(history, 1);
        history.on(configured); // delivered after the old run had its chance to be deleted
        Eventually.holds("delivery", () -> history.statistics().delivered() >= 2);
        assertThat(runs(history, "settle")).hasSize(1);
        assertThat(history.queries().events(null, 10).rows())
                .extracting(HistoryEvent::kind)
                .containsExactly(HistoryEvent.Kind.LEVEL);
    }

    @Test
    void eventsThatTheEngineDroppedAreALoss() throws Exception {
        History history = started();

        history.dropped(7);

        assertThat(history.statistics().lost()).isEqualTo(7);
        assertThat(losses).hasValue(1);
        assertThat(problems).last().asString().contains("7 rows are lost");
    }

    @Test
    void eachNewErrorOfTheSpoolIsLoggedAndTheHealthNamesTheLatest() throws Exception {
        History history = started();
        history.dropped(1);
        Path spools = directory.resolve("spool/orders");
        deleteSpools();
        Files.writeString(spools, "a file in place of the directory");
        PrintStream before = System.err;
        var log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            history.on(ended("settle", 1));
            history.on(ended("settle", 2));
            history.dropped(1);
            assertThat(problems).last().asString().contains("4 rows are lost", "FileAlreadyExistsException");
            Files.delete(spools);
            Files.delete(spools.getParent());
            Files.writeString(spools.getParent(), "a file in place of the directory");
            history.on(ended("settle", 3));
            history.dropped(1);
            assertThat(problems).last().asString().contains("6 rows are lost", "Not a directory");
        } finally {
            System.setErr(before);
        }
        assertThat(log.toString(StandardCharsets.UTF_8).lines())
                .filteredOn(line -> line.contains("the spool does not take them"))
                .hasSize(2);
    }

    private void deleteSpools() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("spool/orders"))) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    @Test
    void rowsWhoseFilesWereDeletedAreALossAndLaterRowsAreStored() throws Exception {
        source.away(true);
        History history = started();
        for (int i = 1; i <= 10; i++) {
            history.on(ended("settle", i));
        }
        deleteSpools();
        history.on(ended("settle", 11));
        source.away(false);
        delivered(history, 1);
        assertThat(runs(history, "settle")).hasSize(1);
        assertThat(history.statistics().lost()).isEqualTo(10);
        Eventually.holds("delivery", () -> losses.get() > 0);
        assertThat(problems).filteredOn(Objects::nonNull).last().asString().contains("10 rows are lost", "deleted");
    }

    @Tag("slow")
    @Test
    void rowsThatAreNotReadableAreReportedOnceWhileTheDatabaseIsAway() throws Exception {
        Path spool = directory.resolve("spool");
        SpoolDirectory dead = SpoolDirectory.open(spool, "orders", 1 << 20);
        dead.append(
                List.of(new Measurement("settle", FIRE, null, 1, null))); // as a value that this version does not know
        dead.append(List.of(new Measurement("settle", FIRE, "SUCCEEDED", 1, null)));
        dead.close();
        HistoryDatabase.connect(database, TablePrefix.DEFAULT).prepare(SchemaMode.CREATE);
        source.readOnly(true);
        History history = started();
        Eventually.holds("delivery", () -> source.refusals() > 1);
        source.readOnly(false);
        delivered(history, 2);
        assertThat(history.statistics().rejected()).isEqualTo(1);
        assertThat(Files.readAllLines(spool.resolve("rejected.txt"))).hasSize(1);
    }

    @Test
    void aSpoolThatCannotBeWrittenIsRefusedAtOnce() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        History.newBuilder(database, file.resolve("spool")).build())
                .withMessageContaining(file.toString());
    }

    @Test
    void aSpoolThatDoesNotOpenIsReportedAsALoss() throws Exception {
        History history = builder().build();
        open.add(history);
        Files.delete(directory.resolve("spool"));
        Files.writeString(directory.resolve("spool"), "a file in place of the directory");
        assertThatThrownBy(() -> start(history, "orders")).isInstanceOf(UncheckedIOException.class);

        assertThat(problems).first().asString().contains("keeps nothing", "does not open");
        assertThat(losses).hasValueGreaterThanOrEqualTo(1);

        history.on(ended("settle", 1));
        Operations executed = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Operations.class},
                (proxy, method, arguments) -> new CommandResult.Applied(1, "", "done"));
        assertThat(history.audited(executed, "", "")
                        .execute(new Command.Pause("settle", null), CommandOptions.by("ann")))
                .isInstanceOf(CommandResult.Applied.class);
        assertThat(history.statistics().lost()).isEqualTo(3);

        Files.delete(directory.resolve("spool"));
        history.on(ended("settle", 2));
        delivered(history, 1);
        assertThat(history.statistics().lost()).isEqualTo(3);
    }

    @Test
    void aHistoryBelongsToOneRegistry() {
        History history = started();
        assertThatIllegalStateException()
                .isThrownBy(() -> history.started(new SubscriberContext() {
                    @Override
                    public String namespace() {
                        return "other";
                    }

                    @Override
                    public Load load() {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public void problem(@Nullable String text) {}
                }))
                .withMessageContaining("other");
    }
}
