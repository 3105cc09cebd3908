package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.CursorSetBack;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.JobConfigured;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.history.Account.State;
import io.ostraka.history.jdbc.AccountQueries;
import io.ostraka.history.jdbc.Batch;
import io.ostraka.history.jdbc.BatchWriter;
import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import io.ostraka.history.jdbc.WriteResult;
import io.ostraka.history.row.Row;
import io.ostraka.history.spool.Position;
import io.ostraka.history.spool.SpooledRow;
import io.ostraka.testkit.TestCluster;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Accounts from the rows of a database. Fires are at whole minutes. */
class AccountsTest {
    private static final Instant ZERO = Instant.parse("2026-01-01T00:00:00Z");

    private final EventRows eventRows = new EventRows(new Texts((job, kind, name, text) -> text));
    private final List<Row> rows = new ArrayList<>();
    private final List<ItemDetails> items = new ArrayList<>();
    private SwitchedSource switched;
    private @Nullable HistoryDatabase database;

    @BeforeEach
    void create() throws SQLException {
        var source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        switched = new SwitchedSource(source);
        database = HistoryDatabase.connect(switched.source(), TablePrefix.DEFAULT);
        database.prepare(SchemaMode.CREATE);
        on(new JobConfigured(JobConfiguration.newBuilder("job", 1).build(), "i1", ZERO));
    }

    private static Instant minute(long minute) {
        return ZERO.plus(Duration.ofMinutes(minute));
    }

    private void on(Event event) {
        rows.addAll(eventRows.of(event));
    }

    private void ended(String item, long number, long before, long after, Instant fire, boolean triggered, long at) {
        Claim claim = new Claim(
                "job",
                item,
                1,
                "job@" + fire,
                fire,
                triggered,
                1,
                1,
                number,
                item + "/" + number,
                number,
                minute(before),
                ZERO,
                "i1",
                minute(at));
        on(new RunEnded(claim, 1, ItemOutcome.SUCCEEDED, null, minute(at), Duration.ZERO, minute(after), minute(at)));
    }

    private void ran(long number, long before, long after) {
        ended("0", number, before, after, minute(after), false, after);
    }

    private void triggered(long number, long cursor, Instant fire, long at) {
        ended("0", number, cursor, cursor, fire, true, at);
    }

    private void skipped(String item, long before, long after) {
        on(new FiresSkipped(
                "job",
                item,
                1,
                ZERO,
                null,
                minute(after),
                minute(after),
                1,
                SkipReason.OVERLAPPED,
                minute(before),
                minute(after),
                "i1",
                minute(after)));
    }

    private void present(long cursor, long number) {
        items.add(new ItemDetails(
                "0",
                ItemDetails.State.IDLE,
                false,
                "i1",
                new ItemDetails.Run(number, "run", ZERO, false, 1, "i1", ZERO, ZERO, ItemOutcome.SUCCEEDED, null, null),
                minute(cursor),
                1,
                List.of(),
                null,
                0,
                Map.of(),
                0,
                null));
    }

    /** Writes the rows of one batch. */
    private void write(long segment) throws SQLException {
        List<SpooledRow> spooled = new ArrayList<>();
        for (Row row : rows) {
            spooled.add(new SpooledRow(new Position(segment, spooled.size()), row));
        }
        assertThat(new BatchWriter(database, "orders")
                        .write(new Batch("spool", new Position(segment, 0), new Position(segment + 1, 0), spooled)))
                .isEqualTo(new WriteResult.Written());
        rows.clear();
    }

    private Account account(long from, long to, int mostRows) throws SQLException {
        write(1);
        return read(from, to, mostRows);
    }

    private Account read(long from, long to, int mostRows) throws SQLException {
        var operations = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("items");
                    return items;
                });
        return new Accounts(new AccountQueries(database, "orders"), operations, mostRows)
                .account("job", minute(from), minute(to));
    }

    private static List<String> unknown(Account account) {
        return account.entries().stream()
                .filter(entry -> entry.state() == State.UNKNOWN)
                .map(entry -> Duration.between(ZERO, entry.from()).toMinutes() + "-"
                        + Duration.between(ZERO, entry.to()).toMinutes() + ": " + entry.count())
                .toList();
    }

    @Test
    void rowsThatAreWrittenDuringTheReadLeaveNothingUnknown() throws SQLException {
        ran(1, 0, 1);
        present(1, 1);
        write(1);
        ran(2, 1, 2);
        skipped("0", 2, 3);
        switched.before("skipped", () -> {
            try {
                write(2);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(unknown(read(0, 3, 100))).isEmpty();
        assertThat(rows).isEmpty();
    }

    /** A backfill runs fires of an earlier period. Its runs have numbers between those of the scheduled runs. */
    @Test
    void runsOfABackfillLeaveNothingUnknown() throws SQLException {
        ran(1, 0, 1);
        triggered(2, 1, minute(-900), 1);
        triggered(3, 1, minute(-800), 1);
        ran(4, 1, 2);
        triggered(5, 2, minute(-700), 2);
        present(2, 5);
        Account account = account(0, 3, 100);
        assertThat(unknown(account)).isEmpty();
        assertThat(account.complete()).isTrue();
    }

    @Test
    void aLostRunAmongThoseOfABackfillIsUnknown() throws SQLException {
        ran(1, 0, 1);
        triggered(2, 1, minute(-900), 1);
        ran(5, 1, 3);
        present(3, 5);
        assertThat(unknown(account(0, 3, 100))).containsExactly("1-3: 2");
    }

    @Test
    void theLastClaimBeforeThePeriodShowsThatTheFirstOneInThePeriodFollowsIt() throws SQLException {
        ran(1, 0, 1);
        triggered(2, 1, minute(2), 2);
        ran(3, 1, 5);
        present(5, 3);
        assertThat(unknown(account(3, 5, 100))).isEmpty();
    }

    @Test
    void aLostRunBeforeTheFirstClaimInThePeriodIsUnknown() throws SQLException {
        ran(1, 0, 1);
        triggered(2, 1, minute(2), 2);
        ran(4, 1, 5);
        present(5, 4);
        assertThat(unknown(account(3, 5, 100))).containsExactly("3-5: 1");
    }

    @Test
    void aLostRunInAPeriodWithoutRowsIsUnknown() throws SQLException {
        ran(1, 0, 1);
        ran(3, 1, 9);
        present(9, 3);
        assertThat(unknown(account(3, 5, 100))).containsExactly("3-5: 1");
    }

    @Test
    void rowsFromBeforeACursorWasSetBackHideNoGap() throws SQLException {
        ran(1, 0, 1);
        ran(2, 1, 9);
        on(new CursorSetBack("job", "0", 1, 2, minute(9), minute(3), "ann", "wrong clock", "i1", minute(3)));
        ran(4, 5, 6);
        present(6, 4);
        assertThat(unknown(account(2, 6, 100))).containsExactly("3-5: 1");
    }

    /** The cursor of the trigger shows nothing, and the skip after the next run does not follow the period. */
    @Test
    void aTriggerAfterThePeriodOfAnItemThatCeasedToExistLeavesNothingUnknown() throws SQLException {
        ran(1, 0, 1);
        triggered(2, 1, minute(5), 5);
        ran(3, 1, 6);
        skipped("0", 6, 8);
        ended("1", 1, 0, 1, minute(1), false, 1);
        skipped("1", 1, 8);
        ended("1", 2, 8, 9, minute(9), false, 9);
        assertThat(unknown(account(0, 4, 100))).isEmpty();
    }

    @Test
    void rowsFromBeforeThePeriodCountTowardsTheLargestNumberOfRows() throws SQLException {
        for (int departed = 1; departed <= 5; departed++) {
            ended("departed-" + departed, 1, 0, 1, minute(1), false, 1);
        }
        assertThat(account(2, 3, 4).refusal()).contains("more than 4 rows");
    }

    @Test
    void aPeriodWithTheLargestNumberOfRowsHasAnAccount() throws SQLException {
        for (int departed = 1; departed <= 5; departed++) {
            ended("departed-" + departed, 1, 0, 1, minute(1), false, 1);
        }
        assertThat(account(2, 3, 5).refusal()).isNull();
    }

    @Test
    void aNewItemThatNoInstanceOwnsYetLeavesNothingUnknown() throws SQLException {
        try (var cluster = new TestCluster(1, ZERO, 1)) {
            cluster.subscribe(this::on);
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("job", 1)
                            .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                            .requiredInstances("gpu")
                            .history(HistoryLevel.ALL)
                            .build());
            cluster.advance(Duration.ofMinutes(5));
            write(1);

            Account account =
                    new Accounts(database, "orders", cluster.operations()).account("job", minute(-1), cluster.now());
            assertThat(unknown(account)).isEmpty();
            assertThat(account.entries()).extracting(Account.Entry::state).containsExactly(State.OPEN);
        }
    }
}
