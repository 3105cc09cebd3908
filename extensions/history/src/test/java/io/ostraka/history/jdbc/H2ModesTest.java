package io.ostraka.history.jdbc;

import static io.ostraka.history.jdbc.Samples.JOB;
import static io.ostraka.history.jdbc.Samples.minute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ostraka.api.SkipReason;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Row;
import io.ostraka.history.spool.Position;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.h2.engine.Mode.ModeEnum;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the history works in each mode in which H2 imitates another database. */
class H2ModesTest {
    private static final String NAMESPACE = "orders";

    private static List<Object> regular;

    @BeforeAll
    static void answerInTheRegularMode() throws SQLException {
        regular = answers(ModeEnum.REGULAR);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"REGULAR", "Oracle"})
    void theHistoryAnswersAsInTheRegularMode(ModeEnum mode) throws SQLException {
        assertThat(answers(mode)).isEqualTo(regular);
    }

    @Test
    void theModeThatStoresEmptyTextsAsNullIsRefused() {
        assertThatExceptionOfType(HistorySchemaException.class)
                .isThrownBy(() -> answers(ModeEnum.Oracle))
                .withMessageContaining("MODE=Oracle");
    }

    /** Fills a history, reads and cleans it, and returns all that it answers. */
    private static List<Object> answers(ModeEnum mode) throws SQLException {
        var source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";MODE=" + mode);
        try (Connection keeper = source.getConnection()) { // keeps the database alive while it is open
            HistoryDatabase database = HistoryDatabase.connect(source, TablePrefix.DEFAULT);
            database.prepare(SchemaMode.CREATE);
            database.prepare(SchemaMode.VALIDATE);
            List<Object> all = new ArrayList<>();
            write(database, all);
            read(database, all);
            clean(database, all);
            return all;
        }
    }

    private static void write(HistoryDatabase database, List<Object> all) throws SQLException {
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            rows.add(Samples.owner(JOB, "0", i));
            rows.add(Samples.report(
                    Samples.owner(JOB, "1", i), ClaimReport.Source.OWNER, ClaimReport.Decision.OWNER, "FAILED"));
            rows.add(Samples.next(Samples.owner(JOB, "0", i), "again/" + i));
            rows.add(Samples.owner("other", "", i));
            rows.add(Samples.skipped(JOB, "2", i, i, SkipReason.PAUSED));
            rows.add(Samples.trigger(JOB, "run-" + i, i));
            rows.add(Samples.event(HistoryEvent.Kind.PLAN_CHANGED, JOB, i));
            rows.add(Samples.event(HistoryEvent.Kind.LEVEL, JOB, i));
            rows.add(Samples.event(HistoryEvent.Kind.CURSOR_SET_BACK, JOB, i));
            rows.add(Samples.audit(i));
        }
        for (String spool : List.of("spool", "spool", "copy")) {
            all.add(new BatchWriter(database, NAMESPACE).write(WriterContract.batch(spool, Position.START, rows)));
        }
    }

    private static void read(HistoryDatabase database, List<Object> all) throws SQLException {
        var queries = new Queries(database, NAMESPACE);
        all.add(QueriesContract.all((after, limit) -> queries.runs(JOB, after, limit), 2));
        all.add(queries.run(JOB, JOB + "@" + minute(1), minute(1)));
        all.add(queries.run(JOB, "run-1", minute(1)));
        all.add(QueriesContract.all(
                (after, limit) -> queries.claimsOfRun(JOB, JOB + "@" + minute(1), minute(1), after, limit), 1));
        all.add(QueriesContract.all((after, limit) -> queries.claimsOfItem(JOB, "0", after, limit), 2));
        all.add(QueriesContract.all(queries::failures, 2));
        all.add(QueriesContract.all((after, limit) -> queries.skipped(JOB, after, limit), 2));
        all.add(QueriesContract.all(queries::events, 2));
        all.add(QueriesContract.all((after, limit) -> queries.events(JOB, after, limit), 2));
        all.add(QueriesContract.all(queries::audit, 2));
        all.add(QueriesContract.all((after, limit) -> queries.rollups(JOB, minute(0), minute(9), after, limit), 1));
        all.add(QueriesContract.all((after, limit) -> queries.runTimes(JOB, minute(0), minute(9), after, limit), 1));
        all.add(QueriesContract.all(queries::jobs, 1));
        var account = new AccountQueries(database, NAMESPACE);
        all.add(account.snapshot(same -> List.of(
                QueriesContract.all((after, limit) -> same.claims(JOB, minute(1), minute(3), after, limit), 1),
                QueriesContract.all((after, limit) -> same.claims(JOB, "0", 0, 9, after, limit), 1),
                QueriesContract.all((after, limit) -> same.skipped(JOB, minute(1), minute(3), after, limit), 1),
                QueriesContract.all((after, limit) -> same.levels(JOB, minute(2), after, limit), 1),
                QueriesContract.all((after, limit) -> same.setBacks(JOB, after, limit), 1),
                QueriesContract.all((after, limit) -> same.starts(JOB, minute(2), after, limit), 1))));
    }

    private static void clean(HistoryDatabase database, List<Object> all) throws SQLException {
        var steps = new RetentionSteps(database, NAMESPACE);
        all.add(QueriesContract.all(steps::jobsWithEvents, 1));
        all.add(steps.cutoff(JOB, 2));
        all.add(steps.runs(JOB, minute(2)));
        all.add(steps.succeededRuns(minute(3)));
        all.add(steps.failedRuns(minute(3)));
        all.add(steps.triggers(minute(3)));
        all.add(steps.skipped(minute(3)));
        all.add(steps.events(minute(3)));
        all.add(steps.levels(JOB, minute(3)));
        all.add(steps.audit(minute(3)));
        all.add(steps.rollups(JOB, minute(60)));
        all.add(steps.spools(database.now().plusSeconds(10)));
        all.add(steps.spools(database.now().plusSeconds(10)));
    }
}
