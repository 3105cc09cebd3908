package io.ostraka.history.jdbc;

import static io.ostraka.history.jdbc.Samples.minute;
import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.spool.Position;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * Counts the rows that a database reads for each query: 200,000 claims of 10 jobs with 5 items each, one claim in 20 failed, and
 * 20,000 rows in each of the other tables. With the system property {@code ostraka.plans.minutes=200000} there are ten
 * million claims, and the tests print their figures.
 */
abstract class PlansContract {
    private static final String NAMESPACE = "orders";
    private static final String JOB = "job-3";
    /** In each job every minute has a fire of 5 items. */
    private static final int MINUTES = Integer.getInteger("ostraka.plans.minutes", 4_000);
    /** Minutes whose successful claims {@link #retentionOfATenthRunsInSmallStepsBesideInserts} deletes. */
    private static final int OLD = MINUTES / 10;

    private static final List<FaultySource.Query> EXECUTED = new ArrayList<>();
    private static HistoryDatabase database;

    /** Returns the source of connections to the database with the rows. */
    abstract DataSource source();

    /**
     * Executes a query again. Returns the number of rows that it reads from tables or indexes. Fails if it reads a whole
     * table.
     */
    abstract long rowsRead(String name, FaultySource.Query query) throws SQLException;

    /** Fails if a statement that changes rows would read a whole table. */
    abstract void requireIndex(FaultySource.Query statement) throws SQLException;

    /** A table of the numbers up to a largest one, such as a function of the database. */
    interface Series {
        String upTo(int largest, String column);
    }

    static void createRows(DataSource source, Series series) throws SQLException {
        var recorded = new FaultySource(source);
        recorded.onQuery(EXECUTED::add);
        database = HistoryDatabase.connect(recorded.source(), TablePrefix.DEFAULT);
        database.prepare(SchemaMode.CREATE);
        long start = Samples.START.toEpochMilli();
        String fire = start + " + m * 60000";
        String jobs = series.upTo(9, "j");
        String items = series.upTo(4, "i");
        List<String> inserts = List.of(
                "INSERT INTO ostraka_item_run SELECT 'orders', CONCAT('job-', j), CONCAT(i), CONCAT('host/job/', m, '/', i),"
                        + " 1, " + start + ", CONCAT('job-', j, '@', m), " + fire + ", 0, 5, m, m, 'instance', " + fire
                        + ", " + fire + " - 60000, " + fire + ", 0, 'OWNER', 1, 1,"
                        + " CASE WHEN m % 20 = 0 THEN 'FAILED' ELSE 'SUCCEEDED' END, NULL, " + fire + ", " + fire
                        + " + 100 + j, 100, 'OWNER', CASE WHEN m % 20 = 0 THEN 1 ELSE 0 END FROM "
                        + series.upTo(MINUTES - 1, "m") + ", " + jobs + ", " + items,
                "INSERT INTO ostraka_run SELECT 'orders', CONCAT('job-', j), CONCAT('run-', m), " + fire + ", " + fire
                        + ", 5, 'ann', NULL, NULL, '{}', 1 FROM " + series.upTo(1_999, "m") + ", " + jobs,
                "INSERT INTO ostraka_run SELECT namespace, 'triggered', run_id, accepted_at, fire_time, 5, 'ann', NULL,"
                        + " NULL, '{}', 1 FROM ostraka_run WHERE job = 'job-0'",
                "INSERT INTO ostraka_item_run SELECT namespace, 'triggered', item, nonce, 1, opened,"
                        + " CONCAT('run-', run_number), fire_time, 1, 5, run_number, fencing_token, instance, claimed_at,"
                        + " cursor_before, cursor_before, 0, decision, 1, 1, outcome, error, started_at, ended_at, ran_ms,"
                        + " source, failed FROM ostraka_item_run WHERE job = 'job-0' AND run_number < 2000",
                "INSERT INTO ostraka_skipped SELECT 'orders', CONCAT('job-', j), CONCAT(i), 1, " + fire
                        + ", '', 'PAUSED', " + fire + " + 60000, 2, " + start + ", " + fire + " - 60000, " + fire
                        + " + 60000, 'instance', " + fire + " FROM " + series.upTo(MINUTES - 1, "m") + ", " + jobs
                        + ", "
                        + items + " WHERE m % 10 = 0",
                "INSERT INTO ostraka_event SELECT 'spool', 1, m * 10 + j, 'orders',"
                        + " CASE WHEN m % 50 = 0 THEN 'LEVEL' ELSE 'PLAN_CHANGED' END, " + fire
                        + ", 'instance', CONCAT('job-', j), NULL, '' FROM " + series.upTo(1_999, "m") + ", " + jobs,
                "INSERT INTO ostraka_audit SELECT 'spool', 1, m, 'orders', " + fire
                        + ", '', '', '', '', '', '', '', '', NULL FROM " + series.upTo(19_999, "m"),
                "INSERT INTO ostraka_rollup SELECT 'orders', CONCAT('job-', j), " + start
                        + " + m * 3600000, CASE WHEN i = 0 THEN 'SUCCEEDED' ELSE 'FAILED' END, 20, 20, 100, 100"
                        + ", 1".repeat(RunTimes.BUCKETS) + " FROM " + series.upTo(999, "m") + ", " + jobs + ", "
                        + series.upTo(1, "i"));
        try (Connection connection = source.getConnection()) {
            for (String each : inserts) {
                Migrations.execute(connection, each);
            }
        }
    }

    /** A query of the class under test. Returns the number of rows in its result. */
    private interface Question {
        int ask() throws SQLException;
    }

    @Test
    void queriesReadLittleMoreThanTheyReturn() throws SQLException {
        var queries = new Queries(database, NAMESPACE);
        var account = new AccountQueries(database, NAMESPACE);
        String run = JOB + "@2000";
        check("runs", 5, () -> queries.runs(JOB, null, 100).rows().size());
        check("runs with triggers", 6, () -> queries.runs("triggered", null, 100)
                .rows()
                .size());
        check("runs, page", 5, () -> queries.runs(
                        JOB, queries.runs(JOB, null, 99).next(), 100)
                .rows()
                .size());
        check("run", 5, () -> queries.run(JOB, run, minute(2_000))
                .map(each -> 1)
                .orElse(0));
        check("trigger", 1, () -> queries.fireTime(JOB, "run-7").map(each -> 1).orElse(0));
        check("claims of run", 1, () -> queries.claimsOfRun(JOB, run, minute(2_000), null, 5)
                .rows()
                .size());
        check("claims of item", 1, () -> queries.claimsOfItem(JOB, "2", null, 100)
                .rows()
                .size());
        check("claims of item, page", 1, () -> queries.claimsOfItem(
                        JOB, "2", queries.claimsOfItem(JOB, "2", null, 99).next(), 100)
                .rows()
                .size());
        check("failures", 1, () -> queries.failures(null, 100).rows().size());
        check("failures, page", 1, () -> queries.failures(
                        queries.failures(null, 99).next(), 100)
                .rows()
                .size());
        check("skipped", 1, () -> queries.skipped(JOB, null, 100).rows().size());
        check("skipped, page", 1, () -> queries.skipped(
                        JOB, queries.skipped(JOB, null, 99).next(), 100)
                .rows()
                .size());
        check("events", 1, () -> queries.events(null, 100).rows().size());
        check("events of job", 1, () -> queries.events(JOB, null, 100).rows().size());
        check("audit", 1, () -> queries.audit(null, 100).rows().size());
        check("audit, page", 1, () -> queries.audit(queries.audit(null, 99).next(), 100)
                .rows()
                .size());
        check("rollups", 1, () -> queries.rollups(JOB, minute(600), minute(6_000), null, 100)
                .rows()
                .size());
        check("run times", 2, () -> queries.runTimes(JOB, minute(600), minute(9_000), null, 100)
                .rows()
                .size());
        check("jobs", 1, () -> queries.jobs(null, 100).rows().size());
        check("account, claims", 1, () -> account.claims(JOB, minute(500), minute(520), null, 100)
                .rows()
                .size());
        check("account, claims of a part", 1, () -> account.claims(JOB, minute(500), minute(9_999), null, 100)
                .rows()
                .size());
        check("account, claims by number", 1, () -> account.claims(JOB, "2", 3_000, 3_050, null, 100)
                .rows()
                .size());
        check("account, skipped", 1, () -> account.skipped(JOB, minute(500), minute(600), null, 100)
                .rows()
                .size());
        check("account, levels", 1, () -> account.levels(JOB, minute(9_999), null, 100)
                .rows()
                .size());
        var steps = new RetentionSteps(database, NAMESPACE);
        check("jobs with events", 1, () -> steps.jobsWithEvents(null, 100)
                .rows()
                .size());
        // For each item: the next one from each of two tables twice, the last claim, and some rows of skipped fires.
        check("account, starts", 40, () -> account.starts(JOB, minute(2_000), null, 100)
                .rows()
                .size());
    }

    @Test
    void writerFindsClaimsByTheirKeys() throws SQLException {
        List<ClaimReport> reports = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            String item = "" + i % 5;
            ClaimReport known = Samples.owner(JOB, item, "host/job/" + (3_000 + i) + "/" + item, 3_000 + i);
            reports.add(Samples.report(known, ClaimReport.Source.RECORD, ClaimReport.Decision.RECORD, "SUCCEEDED"));
        }
        EXECUTED.clear();
        assertThat(new BatchWriter(database, NAMESPACE).write(WriterContract.batch("spool", Position.START, reports)))
                .isEqualTo(new WriteResult.Written());
        long read = 0;
        for (FaultySource.Query each : List.copyOf(EXECUTED)) {
            if (each.sql().endsWith("FOR UPDATE")) {
                read += rowsRead("merge", each);
            }
        }
        assertThat(read).isBetween(500L, 2_500L);
    }

    @Test
    void retentionFindsRowsByIndex() throws SQLException {
        var steps = new RetentionSteps(database, NAMESPACE);
        List<Question> questions = List.of(
                () -> steps.succeededRuns(minute(OLD + 50)),
                () -> steps.failedRuns(minute(50)),
                () -> steps.runs(JOB, minute(OLD + 50)),
                () -> steps.triggers(minute(9)),
                () -> steps.skipped(minute(9)),
                () -> steps.events(minute(9)),
                () -> steps.audit(minute(9)),
                () -> steps.levels(JOB, minute(1_000)),
                () -> steps.rollups(JOB, minute(600)));
        check("cutoff", 2_000, () -> steps.cutoff(JOB, 1_000).map(each -> 1).orElse(0));
        for (Question each : questions) {
            EXECUTED.clear();
            assertThat(each.ask()).isPositive();
            for (FaultySource.Query statement : List.copyOf(EXECUTED)) {
                requireIndex(statement);
            }
        }
    }

    @Test
    void retentionOfATenthRunsInSmallStepsBesideInserts() throws Exception {
        var steps = new RetentionSteps(database, NAMESPACE);
        var writer = new BatchWriter(database, NAMESPACE);
        long old = count("failed = 0 AND ended_at < " + minute(OLD).toEpochMilli());
        var done = new AtomicBoolean();
        var first = new CountDownLatch(1);
        var executor = Executors.newSingleThreadExecutor();
        List<Long> times = new ArrayList<>();
        long deleted = 0;
        try {
            Future<Integer> inserts = executor.submit(() -> {
                int count = 0;
                Position from = Position.START;
                while (!done.get()) {
                    List<ClaimReport> rows = List.of(Samples.owner("inserted", "0", MINUTES + count));
                    Batch batch = WriterContract.batch("inserts", from, rows);
                    assertThat(writer.write(batch)).isEqualTo(new WriteResult.Written());
                    from = batch.to();
                    count++;
                    first.countDown();
                }
                return count;
            });
            assertThat(first.await(1, TimeUnit.MINUTES)).isTrue();
            int step;
            do {
                long before = System.nanoTime();
                step = steps.succeededRuns(minute(OLD));
                times.add(System.nanoTime() - before);
                deleted += step;
                assertThat(step).isLessThanOrEqualTo(RetentionSteps.LARGEST_STEP);
            } while (step == RetentionSteps.LARGEST_STEP);
            done.set(true);
            assertThat(deleted).isPositive().isEqualTo(old);
            long inserted = inserts.get();
            assertThat(count("job = 'inserted'")).isEqualTo(inserted).isPositive();
            times.sort(null);
            report(
                    "%,d rows deleted in %,d steps, of %d ms in the median and %d ms at most; %,d rows inserted meanwhile",
                    deleted,
                    times.size(),
                    times.get(times.size() / 2) / 1_000_000,
                    times.get(times.size() - 1) / 1_000_000,
                    inserted);
        } finally {
            done.set(true);
            executor.shutdown();
        }
    }

    private long count(String condition) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM ostraka_item_run WHERE " + condition)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Prints a figure of a large database. */
    static void report(String format, Object... figures) {
        if (MINUTES >= 100_000) {
            System.out.printf(format + "%n", figures);
        }
    }

    /**
     * Asks a question and explains its queries.
     *
     * @param grouped largest number of rows that belong to one row of the result
     */
    private void check(String name, int grouped, Question question) throws SQLException {
        EXECUTED.clear();
        long before = System.nanoTime();
        int rows = question.ask();
        long took = System.nanoTime() - before;
        assertThat(rows).as(name).isPositive();
        List<FaultySource.Query> executed = List.copyOf(EXECUTED);
        long read = 0;
        for (FaultySource.Query each : executed) {
            read += rowsRead(name, each);
        }
        report("%s: %d rows, %d read, %.1f ms", name, rows, read, took / 1e6);
        assertThat(read).as("%s: rows read for %s rows", name, rows).isLessThanOrEqualTo(5L * rows * grouped);
    }
}
