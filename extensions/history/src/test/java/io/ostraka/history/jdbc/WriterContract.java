package io.ostraka.history.jdbc;

import static io.ostraka.history.jdbc.Samples.JOB;
import static io.ostraka.history.jdbc.Samples.minute;
import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.SkipReason;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.ClaimReport.Decision;
import io.ostraka.history.row.ClaimReport.Source;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.spool.Position;
import io.ostraka.history.spool.SpooledRow;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The behaviour of the writer with each database. */
abstract class WriterContract extends SchemaContract {
    static final String NAMESPACE = "orders";
    static final String SPOOL = "host-1";

    BatchWriter writer;
    Queries queries;
    private final Map<String, Position> places = new HashMap<>();

    @Override
    @BeforeEach
    void connect() throws SQLException {
        super.connect();
        writer = new BatchWriter(database, NAMESPACE);
        queries = new Queries(database, NAMESPACE);
    }

    /** Creates the tables. */
    void create() throws SQLException {
        database.prepare(SchemaMode.CREATE);
    }

    static Batch batch(String source, Position from, List<? extends Row> rows) {
        List<SpooledRow> spooled = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            spooled.add(new SpooledRow(new Position(from.segment(), from.offset() + i), rows.get(i)));
        }
        return new Batch(source, from, new Position(from.segment(), from.offset() + rows.size() + 1), spooled);
    }

    void write(List<? extends Row> rows) {
        write(SPOOL, rows);
    }

    void write(String source, List<? extends Row> rows) {
        for (int i = 0; i < rows.size(); i += 500) {
            Position from;
            synchronized (places) {
                from = places.getOrDefault(source, Position.START);
            }
            Batch batch = batch(source, from, rows.subList(i, Math.min(rows.size(), i + 500)));
            assertThat(writer.write(batch)).isEqualTo(new WriteResult.Written());
            synchronized (places) {
                places.put(source, batch.to());
            }
        }
    }

    List<ClaimReport> claims(String item) throws SQLException {
        return queries.claimsOfItem(JOB, item, null, 1_000).rows();
    }

    /** Returns the number of runs of each kind, in all hours. */
    Map<String, Long> counts(String job) throws SQLException {
        Map<String, Long> counts = new HashMap<>();
        queries.rollups(job, Instant.ofEpochMilli(Long.MIN_VALUE), Instant.ofEpochMilli(Long.MAX_VALUE), null, 1_000)
                .rows()
                .forEach(each -> counts.merge(each.kind(), each.count(), Long::sum));
        return counts;
    }

    static List<ClaimReport> reports(ClaimReport run) {
        return List.of(
                run,
                Samples.report(run, Source.OWNER, Decision.FENCED, "FAILED"),
                Samples.report(run, Source.RECORD, Decision.RECORD, "TIMED_OUT"),
                Samples.report(run, Source.TAKER, Decision.FENCED, ClaimReport.LOST),
                Samples.report(run, Source.TAKER, Decision.TAKER, "CRASHED"),
                Samples.report(run, Source.TAKER, Decision.TAKER, "INTERRUPTED"));
    }

    @Tag("slow")
    @Test
    void rowDoesNotDependOnOrderOfReports() throws SQLException {
        create();
        List<List<Integer>> orders = permutations(IntStream.range(0, 6).boxed().toList());
        for (int turn = 0; turn < 6; turn++) {
            int now = turn;
            write(IntStream.range(0, orders.size())
                    .mapToObj(i -> reports(Samples.owner(JOB, "0", "claim-" + i, 1))
                            .get(orders.get(i).get(now)))
                    .toList());
        }
        List<ClaimReport> expected = IntStream.range(0, orders.size())
                .mapToObj(i -> reports(Samples.owner(JOB, "0", "claim-" + i, 1)).stream()
                        .reduce(ClaimReport::merge)
                        .orElseThrow())
                .toList();
        assertThat(Set.copyOf(claims("0"))).isEqualTo(Set.copyOf(expected)).hasSize(720);
        assertThat(expected.get(0).outcome()).isEqualTo("SUCCEEDED");
        assertThat(expected.get(0).fencingToken()).isEqualTo(1_001);
    }

    @Test
    void mergesReportsInAnyGrouping() throws SQLException {
        create();
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int round = 0; round < 25; round++) {
            ClaimReport run = Samples.owner(JOB, "0", "round-" + round, round);
            List<ClaimReport> some = new ArrayList<>(reports(run));
            some.addAll(reports(run));
            Collections.shuffle(some, random);
            some = some.subList(0, 1 + random.nextInt(some.size()));
            ClaimReport expected = some.stream().reduce(ClaimReport::merge).orElseThrow();
            while (!some.isEmpty()) {
                int size = 1 + random.nextInt(some.size());
                write(some.subList(0, size));
                some = some.subList(size, some.size());
            }
            assertThat(claims("0").get(0)).as("seed " + seed).isEqualTo(expected);
        }
    }

    static <T> List<List<T>> permutations(List<T> elements) {
        if (elements.isEmpty()) {
            return List.of(List.of());
        }
        List<List<T>> all = new ArrayList<>();
        for (T first : elements) {
            List<T> rest = new ArrayList<>(elements);
            rest.remove(first);
            for (List<T> each : permutations(rest)) {
                List<T> whole = new ArrayList<>(List.of(first));
                whole.addAll(each);
                all.add(whole);
            }
        }
        return all;
    }

    @Test
    void rollupsCountEachFactOnce() throws SQLException {
        create();
        ClaimReport run = Samples.owner(JOB, "0", 1);
        write(List.of(
                run,
                Samples.report(run, Source.RECORD, Decision.RECORD, "SUCCEEDED"),
                Samples.report(run, Source.TAKER, Decision.FENCED, ClaimReport.LOST),
                Samples.report(Samples.owner(JOB, "1", 1), Source.TAKER, Decision.TAKER, ClaimReport.LOST),
                Samples.skipped(JOB, "0", 2, 8, SkipReason.PAUSED),
                new Measurement(JOB, minute(3), "SUCCEEDED", 10, Duration.ofSeconds(10)),
                new Measurement(JOB, minute(3), "MISFIRED", 2, null)));
        assertThat(counts(JOB)).isEqualTo(Map.of("SUCCEEDED", 11L, "LOST", 1L, "PAUSED", 7L, "MISFIRED", 2L));
        HourlyRollup succeeded = queries.rollups(JOB, minute(0), minute(60), null, 10).rows().stream()
                .filter(each -> each.kind().equals("SUCCEEDED"))
                .findFirst()
                .orElseThrow();
        assertThat(succeeded.kept()).isEqualTo(1);
        assertThat(succeeded.sum()).isEqualTo(Duration.ofMillis(10_100));
        assertThat(succeeded.times().count()).isEqualTo(11);
        assertThat(succeeded.times().max()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void replayAfterUnknownCommitCountsOnce() throws SQLException {
        create();
        var faulty = new FaultySource(source());
        var unsure = new BatchWriter(new HistoryDatabase(faulty.source(), database.dialect(), PREFIX), NAMESPACE);
        Batch first = batch(SPOOL, Position.START, everything(1));
        faulty.breakAfterCommit();
        assertThat(unsure.write(first)).isInstanceOf(WriteResult.Failed.class);
        assertThat(unsure.write(first)).isEqualTo(new WriteResult.AlreadyWritten(first.to()));
        assertThat(writer.position(SPOOL)).contains(first.to());
        assertWrittenOnce(1);
        Batch second = batch(SPOOL, first.to(), everything(2));
        faulty.breakAfterCommit();
        assertThat(unsure.write(second)).isInstanceOf(WriteResult.Failed.class);
        assertThat(unsure.write(second)).isEqualTo(new WriteResult.AlreadyWritten(second.to()));
        assertWrittenOnce(2);
    }

    private static List<Row> everything(long minute) {
        return List.of(
                Samples.owner(JOB, "0", minute),
                Samples.skipped(JOB, "1", minute, minute, SkipReason.PAUSED),
                Samples.trigger(JOB, "run-" + minute, minute),
                Samples.event(HistoryEvent.Kind.LEVEL, JOB, minute),
                Samples.audit(minute));
    }

    private void assertWrittenOnce(long times) throws SQLException {
        assertThat(counts(JOB)).isEqualTo(Map.of("SUCCEEDED", times, "PAUSED", times));
        for (String table : List.of("item_run", "skipped", "run", "event", "audit")) {
            assertThat(numbers("SELECT COUNT(*) FROM ostraka_" + table))
                    .as(table)
                    .containsExactly(times);
        }
    }

    @Test
    void brokenConnectionLeavesNothing() throws SQLException {
        create();
        var faulty = new FaultySource(source());
        var unsure = new BatchWriter(new HistoryDatabase(faulty.source(), database.dialect(), PREFIX), NAMESPACE);
        Batch batch = batch(SPOOL, Position.START, everything(1));
        int statements = 0;
        WriteResult result;
        do {
            faulty.breakAt(++statements);
            result = unsure.write(batch);
            if (result instanceof WriteResult.Failed) {
                assertThat(numbers("SELECT COUNT(*) FROM ostraka_item_run")).containsExactly(0L);
                assertThat(writer.position(SPOOL)).isEmpty();
            }
        } while (result instanceof WriteResult.Failed);
        assertThat(result).isEqualTo(new WriteResult.Written());
        assertThat(statements).isGreaterThan(9);
        assertWrittenOnce(1);
    }

    @Test
    void refusesBatchFromAnotherPlace() throws SQLException {
        create();
        write(everything(1));
        Position stored = writer.position(SPOOL).orElseThrow();
        for (Position from : List.of(Position.START, new Position(7, 0))) {
            assertThat(writer.write(batch(SPOOL, from, everything(2))))
                    .isEqualTo(new WriteResult.AlreadyWritten(stored));
        }
        assertWrittenOnce(1);
        assertThat(writer.write(batch("host-2", new Position(7, 100), everything(2))))
                .isEqualTo(new WriteResult.Written());
        assertWrittenOnce(2);
    }

    @Test
    void ignoresRowsThatAreStored() throws SQLException {
        create();
        write("host-1", everything(1));
        write(
                "host-2",
                List.of(
                        everything(1).get(0),
                        everything(1).get(1),
                        everything(1).get(2)));
        for (String table : List.of("item_run", "skipped", "run")) {
            assertThat(numbers("SELECT COUNT(*) FROM ostraka_" + table))
                    .as(table)
                    .containsExactly(1L);
        }
    }

    @Test
    void refusesReportAboutARowOfALaterVersionAndLeavesTheRow() throws SQLException {
        create();
        ClaimReport known = Samples.owner(JOB, "0", 1);
        write(List.of(known));
        execute("UPDATE ostraka_item_run SET decision = 'ORACLE'");
        ClaimReport report = Samples.report(known, Source.RECORD, Decision.RECORD, "SUCCEEDED");
        Position from = writer.position(SPOOL).orElseThrow();
        assertThat(writer.write(batch(SPOOL, from, List.of(report)))).isInstanceOf(WriteResult.Refused.class);
        write(List.of(Samples.owner(JOB, "0", 2)));
        assertThat(numbers("SELECT COUNT(*) FROM ostraka_item_run WHERE decision = 'ORACLE'"))
                .containsExactly(1L);
        assertThat(claims("0")).hasSize(2);
    }

    @Test
    void refusesValueThatDoesNotFit() throws SQLException {
        create();
        ClaimReport tooLong = Samples.owner("j".repeat(129), "0", 1);
        assertThat(writer.write(batch(SPOOL, Position.START, List.of(Samples.owner(JOB, "0", 1), tooLong))))
                .isInstanceOf(WriteResult.Refused.class);
        assertThat(numbers("SELECT COUNT(*) FROM ostraka_item_run")).containsExactly(0L);
        assertThat(writer.position(SPOOL)).isEmpty();
    }

    @Test
    void namesThatDifferInCaseAreDifferent() throws SQLException {
        create();
        write(List.of(
                Samples.owner("a", "x", "n", 1), Samples.owner("A", "x", "n", 1), Samples.owner("a", "X", "n", 1)));
        assertThat(numbers("SELECT COUNT(*) FROM ostraka_item_run")).containsExactly(3L);
        assertThat(counts("a")).isEqualTo(Map.of("SUCCEEDED", 2L));
    }
}
