package io.ostraka.history.jdbc;

import static io.ostraka.history.jdbc.Samples.JOB;
import static io.ostraka.history.jdbc.Samples.minute;
import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.SkipReason;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** All that the package does, with each database. This class adds the retention. */
abstract class HistoryContract extends QueriesContract {
    private RetentionSteps steps;

    @Override
    @BeforeEach
    void connect() throws SQLException {
        super.connect();
        steps = new RetentionSteps(database, NAMESPACE);
    }

    @Test
    void deletesInStepsBesideInserts() throws Exception {
        create();
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 2_300; i++) {
            rows.add(Samples.owner(JOB, "" + i % 5, i));
        }
        write(rows);
        var done = new AtomicBoolean();
        var executor = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> inserts = executor.submit(() -> {
                int count = 0;
                while (!done.get()) {
                    write("inserts", List.of(Samples.owner(JOB, "" + count % 5, 5_000L + count)));
                    count++;
                }
                return count;
            });
            List<Integer> deleted = new ArrayList<>();
            do {
                deleted.add(steps.succeededRuns(minute(2_100)));
            } while (deleted.get(deleted.size() - 1) > 0);
            done.set(true);
            assertThat(deleted).containsExactly(1_000, 1_000, 100, 0);
            long left = 200L + inserts.get();
            assertThat(numbers("SELECT COUNT(*) FROM ostraka_item_run")).containsExactly(left);
        } finally {
            done.set(true);
            executor.shutdown();
        }
    }

    @Test
    void ageDependsOnKindOfRow() throws SQLException {
        create();
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 9; i++) {
            rows.add(Samples.owner(JOB, "0", i));
            rows.add(Samples.report(
                    Samples.owner(JOB, "1", i), ClaimReport.Source.OWNER, ClaimReport.Decision.OWNER, "FAILED"));
            rows.add(Samples.skipped(JOB, "2", i, i, SkipReason.PAUSED));
            rows.add(Samples.trigger(JOB, "run-" + i, i));
            rows.add(Samples.event(HistoryEvent.Kind.PLAN_CHANGED, JOB, i));
            rows.add(Samples.audit(i));
        }
        write(rows);
        assertThat(steps.succeededRuns(minute(4))).isEqualTo(3);
        assertThat(steps.failedRuns(minute(3))).isEqualTo(2);
        assertThat(steps.skipped(minute(6))).isEqualTo(4);
        assertThat(steps.triggers(minute(5))).isEqualTo(4);
        assertThat(steps.events(minute(7))).isEqualTo(6);
        assertThat(steps.audit(minute(2))).isEqualTo(1);
        assertThat(numbers("SELECT COUNT(*) FROM ostraka_item_run")).containsExactly(13L);
        assertThat(queries.skipped(JOB, null, 10).rows()).hasSize(5);
        assertThat(queries.audit(null, 10).rows()).hasSize(8);
        assertThat(queries.events(null, 10).rows()).hasSize(3);
        assertThat(steps.rollups(JOB, minute(60))).isEqualTo(3);
        assertThat(queries.jobs(null, 10).rows()).isEmpty();
    }

    @Test
    void keepsTheLatestLevelOfAnAge() throws SQLException {
        create();
        write(List.of(
                Samples.event(HistoryEvent.Kind.LEVEL, JOB, 1),
                Samples.event(HistoryEvent.Kind.PLAN_CHANGED, JOB, 2),
                Samples.event(HistoryEvent.Kind.LEVEL, JOB, 3),
                Samples.event(HistoryEvent.Kind.LEVEL, JOB, 5),
                Samples.event(HistoryEvent.Kind.LEVEL, "other", 1)));
        assertThat(steps.events(minute(9))).isEqualTo(1);
        assertThat(all(steps::jobsWithEvents, 1)).containsExactly("other", JOB);
        assertThat(steps.levels(JOB, minute(4))).isEqualTo(1);
        assertThat(steps.levels(JOB, minute(4))).isZero();
        assertThat(steps.levels("other", minute(4))).isZero();
        assertThat(steps.levels("none", minute(4))).isZero();
        assertThat(queries.events(null, 10).rows())
                .extracting(HistoryEvent::at)
                .containsExactly(minute(5), minute(3), minute(1));
    }

    /** The servers of the tests use the clock of this host. */
    @Test
    void readsTheClockOfTheDatabase() throws SQLException {
        assertThat(database.now())
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
    }

    @Test
    void keepsNewestRowsOfJob() throws SQLException {
        create();
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            rows.add(Samples.owner(JOB, "0", i));
            rows.add(Samples.owner("other", "0", i));
        }
        write(rows);
        assertThat(steps.cutoff(JOB, 600)).isEmpty();
        assertThat(steps.cutoff(JOB, 100)).contains(minute(480)); // the last two hours have 120 rows
        assertThat(steps.cutoff(JOB, 0)).contains(minute(540));
        assertThat(steps.runs(JOB, minute(480))).isEqualTo(480);
        assertThat(steps.runs(JOB, minute(480))).isZero();
        assertThat(queries.claimsOfItem(JOB, "0", null, 1_000).rows()).hasSize(120);
        assertThat(queries.claimsOfItem("other", "0", null, 1_000).rows()).hasSize(600);
    }

    @Test
    void forgetsOldSpools() throws SQLException {
        create();
        write(List.of(Samples.audit(1)));
        assertThat(steps.spools(Instant.now().minusSeconds(3_600))).isZero();
        assertThat(steps.spools(Instant.now().plusSeconds(3_600))).isEqualTo(1);
        assertThat(writer.position(SPOOL)).isEmpty();
    }

    @Test
    void keepsRowsOfOldFiresThatRanLate() throws SQLException {
        create();
        ClaimReport late = Samples.owner(JOB, "0", 1);
        write(List.of(late));
        assertThat(steps.runs(JOB, late.endedAt())).isZero();
        assertThat(steps.runs(JOB, late.endedAt().plusMillis(1))).isEqualTo(1);
    }
}
