package io.ostraka.history.jdbc;

import static io.ostraka.history.jdbc.Samples.minute;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.jdbc.PostgreSqlServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Shows the plans of PostgreSQL for all queries: 200,000 claims of 10 jobs with 5 items each, one claim in 20 failed, and
 * 20,000 rows in each of the other tables.
 */
@Tag("cluster")
@Tag("postgresql")
class PostgreSqlPlansTest {
    private static final PGSimpleDataSource SOURCE = new PGSimpleDataSource();
    private static final String NAMESPACE = "orders";
    private static final String JOB = "job-3";
    /** In each job every minute has a fire of 5 items. */
    private static final int MINUTES = 4_000;

    private static PostgreSqlServer server;
    private static HistoryDatabase database;
    private static final List<FaultySource.Query> EXECUTED = new ArrayList<>();

    @BeforeAll
    static void createRows() throws IOException, SQLException {
        server = PostgreSqlServer.start();
        SOURCE.setUrl(server.url());
        var recorded = new FaultySource(SOURCE);
        recorded.onQuery(EXECUTED::add);
        database = HistoryDatabase.connect(recorded.source(), TablePrefix.DEFAULT);
        database.prepare(SchemaMode.CREATE);
        long start = Samples.START.toEpochMilli();
        String fire = start + " + m * 60000::bigint";
        execute("INSERT INTO ostraka_item_run SELECT '" + NAMESPACE
                + "', 'job-' || j, i::text, 'host/job/' || m || i, 1, "
                + start + ", 'job-' || j || '@' || m, " + fire + ", 0, 5, m, m, 'instance', " + fire + ", " + fire
                + " - 60000, " + fire + ", 0, 'OWNER', 1, 1, CASE WHEN m % 20 = 0 THEN 'FAILED' ELSE 'SUCCEEDED' END,"
                + " NULL, " + fire + ", " + fire + " + 100 + j, 100, 'OWNER', CASE WHEN m % 20 = 0 THEN 1 ELSE 0 END"
                + " FROM generate_series(0, " + (MINUTES - 1)
                + ") m, generate_series(0, 9) j, generate_series(0, 4) i");
        execute("INSERT INTO ostraka_run SELECT '" + NAMESPACE + "', 'job-' || j, 'run-' || m, " + fire + ", " + fire
                + ", 5, 'ann', NULL, NULL, '{}' FROM generate_series(1, 2000) m, generate_series(0, 9) j");
        execute("INSERT INTO ostraka_run SELECT namespace, 'triggered', run_id, accepted_at, fire_time, 5, 'ann', NULL,"
                + " NULL, '{}' FROM ostraka_run WHERE job = 'job-0'");
        execute(
                "INSERT INTO ostraka_item_run SELECT namespace, 'triggered', item, nonce, 1, opened, 'run-' || run_number,"
                        + " fire_time, 1, 5, run_number, fencing_token, instance, claimed_at, cursor_before, cursor_before, 0,"
                        + " decision, 1, 1, outcome, error, started_at, ended_at, ran_ms, source, failed FROM ostraka_item_run"
                        + " WHERE job = 'job-0' AND run_number BETWEEN 1 AND 2000");
        execute("INSERT INTO ostraka_left_out SELECT '" + NAMESPACE + "', 'job-' || j, i::text, 1, " + fire
                + ", '', 'PAUSED', " + fire + " + 60000, 2, " + start + ", " + fire + " - 60000, " + fire
                + " + 60000, 'instance', " + fire
                + " FROM generate_series(0, 3999, 10) m, generate_series(0, 9) j, generate_series(0, 4) i");
        execute("INSERT INTO ostraka_event SELECT 'spool', 1, m * 10 + j, '" + NAMESPACE
                + "', CASE WHEN m % 50 = 0 THEN 'LEVEL' ELSE 'PLAN_CHANGED' END, " + fire + ", 'instance', 'job-' || j,"
                + " NULL, '' FROM generate_series(0, 1999) m, generate_series(0, 9) j");
        execute("INSERT INTO ostraka_audit SELECT 'spool', 1, m, '" + NAMESPACE + "', " + fire
                + ", '', '', '', '', '', '', '', '', NULL FROM generate_series(0, 19999) m");
        String buckets = ", 1".repeat(RunTimes.BUCKETS);
        execute("INSERT INTO ostraka_rollup SELECT '" + NAMESPACE + "', 'job-' || j, " + start
                + " + h * 3600000::bigint, k, 20, 20, 100, 100" + buckets
                + " FROM generate_series(0, 999) h, generate_series(0, 9) j, (VALUES ('SUCCEEDED'), ('FAILED')) v(k)");
        execute("VACUUM ANALYZE");
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = SOURCE.getConnection()) {
            Migrations.execute(connection, sql);
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
        check("left out", 1, () -> queries.leftOut(JOB, null, 100).rows().size());
        check("left out, page", 1, () -> queries.leftOut(
                        JOB, queries.leftOut(JOB, null, 99).next(), 100)
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
        check("account, left out", 1, () -> account.leftOut(JOB, minute(500), minute(600), null, 100)
                .rows()
                .size());
        check("account, levels", 1, () -> account.levels(JOB, minute(9_999), null, 100)
                .rows()
                .size());
        // For each item: the next one from each of two tables twice, the last claim, and some rows that were left out.
        check("account, starts", 40, () -> account.starts(JOB, minute(2_000), null, 100)
                .rows()
                .size());
    }

    @Test
    void retentionFindsRowsByIndex() throws SQLException {
        var steps = new RetentionSteps(database, NAMESPACE);
        List<Question> questions = List.of(
                () -> steps.succeededRuns(minute(50)),
                () -> steps.failedRuns(minute(50)),
                () -> steps.runs(JOB, minute(50)),
                () -> steps.triggers(minute(9)),
                () -> steps.leftOut(minute(9)),
                () -> steps.events(minute(9)),
                () -> steps.audit(minute(9)),
                () -> steps.rollups(JOB, minute(600)));
        check("cutoff", 2_000, () -> steps.cutoff(JOB, 1_000).map(each -> 1).orElse(0));
        for (Question each : questions) {
            EXECUTED.clear();
            assertThat(each.ask()).isPositive();
            for (FaultySource.Query statement : List.copyOf(EXECUTED)) {
                String plan = explain("EXPLAIN (FORMAT JSON) ", statement).toString();
                assertThat(plan).contains("Index").doesNotContain("Seq Scan");
            }
        }
    }

    /**
     * Asks a question and explains its queries.
     *
     * @param grouped largest number of rows that belong to one row of the result
     */
    private static void check(String name, int grouped, Question question) throws SQLException {
        EXECUTED.clear();
        int rows = question.ask();
        assertThat(rows).as(name).isPositive();
        List<FaultySource.Query> executed = List.copyOf(EXECUTED);
        long read = 0;
        for (FaultySource.Query each : executed) {
            read += rowsRead(name, explain("EXPLAIN (ANALYZE, FORMAT JSON) ", each));
        }
        assertThat(read).as("%s: rows read for %s rows", name, rows).isLessThanOrEqualTo(5L * rows * grouped);
    }

    private static JsonObject explain(String how, FaultySource.Query query) throws SQLException {
        try (Connection connection = SOURCE.getConnection();
                PreparedStatement statement = connection.prepareStatement(how + query.sql())) {
            PageQuery.bind(statement, query.parameters());
            try (ResultSet plan = statement.executeQuery()) {
                plan.next();
                return JsonParser.parseString(plan.getString(1))
                        .getAsJsonArray()
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonObject("Plan");
            }
        }
    }

    /** Returns the number of rows that the scans of a plan read. Fails if one of them reads a whole table. */
    private static long rowsRead(String name, JsonObject node) {
        String type = node.get("Node Type").getAsString();
        assertThat(type).as("%s: %s", name, node).isNotEqualTo("Seq Scan");
        long read = 0;
        if (type.contains("Scan") && !type.startsWith("Subquery") && !type.startsWith("Bitmap Heap")) {
            long loops = node.get("Actual Loops").getAsLong();
            read = loops
                    * (node.get("Actual Rows").getAsLong()
                            + number(node, "Rows Removed by Filter")
                            + number(node, "Rows Removed by Index Recheck"));
        }
        JsonElement children = node.get("Plans");
        if (children != null) {
            for (JsonElement each : children.getAsJsonArray()) {
                read += rowsRead(name, each.getAsJsonObject());
            }
        }
        return read;
    }

    private static long number(JsonObject node, String name) {
        return Optional.ofNullable(node.get(name)).map(JsonElement::getAsLong).orElse(0L);
    }
}
