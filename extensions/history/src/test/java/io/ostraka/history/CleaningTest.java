package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.history.jdbc.Batch;
import io.ostraka.history.jdbc.BatchWriter;
import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import io.ostraka.history.jdbc.WriteResult;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.spool.Position;
import io.ostraka.history.spool.SpooledRow;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CleaningTest {
    private static final String NAMESPACE = "orders";

    /** By default, events are kept for 90 days. */
    @ParameterizedTest
    @CsvSource({
        "0, 91, false",
        "0, 89, true",
        "100, 89, true", // the clock of the leader is 100 days ahead
        "-100, 91, true"
    })
    void anEventIsDeletedWhenItIsOldByTheClockOfTheDatabaseAndOfTheLeader(long daysAhead, long age, boolean kept)
            throws SQLException {
        var source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        HistoryDatabase database = HistoryDatabase.connect(source, TablePrefix.DEFAULT);
        database.prepare(SchemaMode.CREATE);
        var event = new HistoryEvent(
                HistoryEvent.Kind.PLAN_CHANGED, Instant.now().minus(Duration.ofDays(age)), "i1", "settle", null, "");
        var batch =
                new Batch("spool", Position.START, new Position(2, 0), List.of(new SpooledRow(Position.START, event)));
        assertThat(new BatchWriter(database, NAMESPACE).write(batch)).isEqualTo(new WriteResult.Written());

        var cleaning = new Cleaning(
                Retention.DEFAULT,
                new Time(Clock.offset(Clock.systemUTC(), Duration.ofDays(daysAhead)), System::nanoTime));
        cleaning.leads(true);
        cleaning.step(database, NAMESPACE);

        assertThat(new Queries(database, NAMESPACE).events(null, 10).rows()).hasSize(kept ? 1 : 0);
    }
}
