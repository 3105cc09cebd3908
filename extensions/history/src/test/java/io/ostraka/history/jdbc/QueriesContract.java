package io.ostraka.history.jdbc;

import static io.ostraka.history.jdbc.Samples.JOB;
import static io.ostraka.history.jdbc.Samples.minute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.ostraka.api.SkipReason;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The queries with each database. */
abstract class QueriesContract extends HostileValuesContract {
    /** A list in pages. */
    interface Pages<T> {
        Page<? extends T> page(@Nullable Cursor after, int limit) throws SQLException;
    }

    /** Reads a whole list; each cursor travels as a text. */
    static <T> List<T> all(Pages<T> pages, int limit) throws SQLException {
        List<T> rows = new ArrayList<>();
        Cursor after = null;
        do {
            Page<? extends T> page = pages.page(after, limit);
            rows.addAll(page.rows());
            assertThat(new ArrayList<Object>(page.rows())).hasSizeLessThanOrEqualTo(limit);
            after = page.next() == null ? null : Cursor.parse(page.next().text());
        } while (after != null);
        return rows;
    }

    private AccountQueries account() {
        return new AccountQueries(database, NAMESPACE);
    }

    private static ClaimReport failed(String job, String item, long minute) {
        return Samples.report(
                Samples.owner(job, item, minute), ClaimReport.Source.OWNER, ClaimReport.Decision.OWNER, "FAILED");
    }

    @Test
    void groupsClaimsByFire() throws SQLException {
        create();
        write(List.of(
                Samples.owner(JOB, "0", 1),
                failed(JOB, "1", 1),
                Samples.report(
                        Samples.owner(JOB, "2", 1),
                        ClaimReport.Source.TAKER,
                        ClaimReport.Decision.TAKER,
                        ClaimReport.LOST),
                Samples.owner(JOB, "0", 2),
                Samples.owner("other", "0", 3),
                Samples.trigger(JOB, "run-9", 9)));
        List<RunSummary> runs = queries.runs(JOB, null, 10).rows();
        assertThat(runs)
                .containsExactly(
                        new RunSummary(
                                JOB + "@" + minute(2),
                                minute(2),
                                false,
                                3,
                                Map.of("SUCCEEDED", 1L),
                                1,
                                "0",
                                minute(2).plusMillis(10),
                                minute(2).plusMillis(110),
                                null),
                        new RunSummary(
                                JOB + "@" + minute(1),
                                minute(1),
                                false,
                                3,
                                Map.of("SUCCEEDED", 1L, "FAILED", 1L, "LOST", 1L),
                                3,
                                null,
                                minute(1).plusMillis(10),
                                minute(1).plusMillis(4_110),
                                null));
        assertThat(queries.run(JOB, JOB + "@" + minute(1), minute(1))).contains(runs.get(1));
        assertThat(queries.fireTime(JOB, JOB + "@" + minute(1))).contains(minute(1));
        assertThat(queries.fireTime(JOB, JOB + "@yesterday")).isEmpty();
        assertThat(queries.fireTime(JOB, "run-9")).contains(minute(9));
        assertThat(queries.run(JOB, "run-9", minute(9)).orElseThrow().trigger())
                .isEqualTo(Samples.trigger(JOB, "run-9", 9));
        assertThat(queries.run(JOB, "run-8", minute(9))).isEmpty();
        assertThat(all((after, limit) -> queries.claimsOfRun(JOB, JOB + "@" + minute(1), minute(1), after, limit), 2))
                .extracting(ClaimReport::item)
                .containsExactly("0", "1", "2");
    }

    @Test
    void countsEachItemOfAFireOnceByItsLastClaim() throws SQLException {
        create();
        ClaimReport first = Samples.owner(JOB, "0", 1);
        ClaimReport second = Samples.next(first, "0/1/again");
        ClaimReport unknown = Samples.next(second, "0/1/later");
        write(List.of(
                Samples.report(first, ClaimReport.Source.TAKER, ClaimReport.Decision.TAKER, ClaimReport.LOST),
                second,
                Samples.owner(JOB, "1", 1),
                Samples.report(
                        Samples.owner(JOB, "0", 2), ClaimReport.Source.TAKER, ClaimReport.Decision.TAKER, "LATER"),
                Samples.report(unknown, ClaimReport.Source.OWNER, ClaimReport.Decision.OWNER, "FAILED")));
        List<RunSummary> runs = queries.runs(JOB, null, 10).rows();
        assertThat(runs)
                .extracting(RunSummary::outcomes)
                .containsExactly(Map.of("OTHER", 1L), Map.of("FAILED", 1L, "SUCCEEDED", 1L));
        assertThat(runs).extracting(RunSummary::claims).containsExactly(1L, 4L);
        assertThat(queries.run(JOB, first.runId(), minute(1))).contains(runs.get(1));
    }

    @Test
    void namespacesAreSeparate() throws SQLException {
        create();
        write(List.of(failed(JOB, "0", 1), Samples.skipped(JOB, "0", 2, 2, SkipReason.PAUSED), Samples.audit(1)));
        var other = new Queries(database, "other");
        assertThat(other.runs(JOB, null, 1).rows()).isEmpty();
        assertThat(other.failures(null, 1).rows()).isEmpty();
        assertThat(other.skipped(JOB, null, 1).rows()).isEmpty();
        assertThat(other.audit(null, 1).rows()).isEmpty();
        assertThat(other.jobs(null, 1).rows()).isEmpty();
        assertThat(new RetentionSteps(database, "other").failedRuns(minute(99))).isZero();
    }

    @Test
    void refusesLimitsAndForeignCursors() throws SQLException {
        create();
        write(List.of(failed(JOB, "0", 1), failed(JOB, "0", 2)));
        for (int limit : List.of(0, -1, 1_001)) {
            assertThatIllegalArgumentException().isThrownBy(() -> queries.runs(JOB, null, limit));
            assertThatIllegalArgumentException().isThrownBy(() -> queries.jobs(null, limit));
        }
        Cursor cursor = queries.failures(null, 1).next();
        assertThatIllegalArgumentException().isThrownBy(() -> queries.runs(JOB, cursor, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> queries.jobs(cursor, 1));
    }

    @Test
    void findsNothingForNamesThatDoNotExist() throws SQLException {
        create();
        write(List.of(failed(JOB, "0", 1)));
        for (String name : List.of("", "none", "\u00E4", "\uD83D\uDE00", "a\0b", "' OR 1 = 1 --", "x".repeat(10_000))) {
            assertThat(queries.runs(name, null, 1).rows()).isEmpty();
            assertThat(queries.run(JOB, name, minute(1))).isEmpty();
            assertThat(queries.fireTime(JOB, name)).isEmpty();
            assertThat(queries.claimsOfItem(JOB, name, null, 1).rows()).isEmpty();
            assertThat(queries.events(name, null, 1).rows()).isEmpty();
            assertThat(account().starts(name, minute(1), null, 1).rows()).isEmpty();
        }
        assertThat(queries.jobs(Cursor.after(Cursor.Order.JOBS, "\u00E4"), 1).rows())
                .isEmpty();
    }

    @Test
    void pagesContainEachRowOnceWhileOthersAreInserted() throws Exception {
        create();
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            rows.add(failed(JOB, "" + i % 4, 4 * (i / 4)));
            rows.add(Samples.skipped(JOB, "" + i % 4, 1_000 + 4 * (i / 4), 1_001 + 4 * (i / 4), SkipReason.PAUSED));
            rows.add(new HistoryEvent(HistoryEvent.Kind.LEVEL, minute(4 * (i / 4)), "instance-" + i, JOB, null, "ALL"));
            rows.add(Samples.audit("request-" + i, 4 * (i / 4)));
            rows.add(new Measurement("job-" + i, minute(60L * i), "SUCCEEDED", 1, Duration.ofMillis(1)));
            rows.add(new Measurement(JOB, minute(60L * i), "SUCCEEDED", 1, Duration.ofMillis(1)));
        }
        write(rows);
        List<Pages<Object>> lists = List.of(
                (after, limit) -> queries.runs(JOB, after, limit),
                (after, limit) -> queries.claimsOfItem(JOB, "1", after, limit),
                (after, limit) -> queries.claimsOfRun(JOB, JOB + "@" + minute(8), minute(8), after, limit),
                (after, limit) -> queries.failures(after, limit),
                (after, limit) -> queries.skipped(JOB, after, limit),
                (after, limit) -> queries.events(after, limit),
                (after, limit) -> queries.events(JOB, after, limit),
                (after, limit) -> queries.audit(after, limit),
                (after, limit) -> queries.rollups(JOB, minute(0), minute(9_999), after, limit),
                (after, limit) -> queries.runTimes(JOB, minute(0), minute(9_999), after, limit),
                (after, limit) -> queries.jobs(after, limit),
                (after, limit) -> account().claims(JOB, minute(-1), minute(9_999), after, limit),
                (after, limit) -> account().skipped(JOB, minute(-1), minute(9_999), after, limit),
                (after, limit) -> account().levels(JOB, minute(9_999), after, limit),
                (after, limit) -> account().starts(JOB, minute(-9), after, limit));
        var done = new AtomicBoolean();
        var executor = Executors.newSingleThreadExecutor();
        try {
            List<List<?>> before = new ArrayList<>();
            for (Pages<Object> each : lists) {
                before.add(each.page(null, 1_000).rows());
                assertThat(before.get(before.size() - 1).size()).isGreaterThan(3);
            }
            Future<?> inserts = executor.submit(() -> {
                // other fires and keys, between those of the lists; not more, because a slow reader would never end
                for (int i = 1; i <= 200 && !done.get(); i++) {
                    long between = 4 * (i % 20) + 1 + i % 3;
                    write(
                            "inserts",
                            List.of(
                                    failed(JOB, "x" + i, between),
                                    Samples.skipped(
                                            JOB, "x" + i, 1_000 + between, 1_000 + between, SkipReason.DISABLED),
                                    new HistoryEvent(
                                            HistoryEvent.Kind.LEVEL, minute(between), "x" + i, JOB, null, "ALL"),
                                    Samples.audit("x" + i, between),
                                    new Measurement("job-" + i + "x", minute(i), "FAILED", 1, null)));
                }
            });
            for (int i = 0; i < lists.size(); i++) {
                if (i == 8 || i == 9) {
                    continue; // the inserts add to these rows, so they change
                }
                List<Object> whole = all(lists.get(i), 3);
                assertThat(whole)
                        .as("list " + i)
                        .doesNotHaveDuplicates()
                        .containsAll(new ArrayList<Object>(before.get(i)));
            }
            done.set(true);
            inserts.get();
            for (Pages<Object> each : lists) {
                assertThat(all(each, 7)).isEqualTo(all(each, 1_000));
            }
        } finally {
            done.set(true);
            executor.shutdown();
        }
    }

    @Test
    void showsRunTimesPerHour() throws SQLException {
        create();
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            rows.add(new Measurement(JOB, minute(i % 60), "SUCCEEDED", 1, Duration.ofMillis(i <= 90 ? 10 : 1_000)));
        }
        rows.add(new Measurement(JOB, minute(60), "FAILED", 1, Duration.ofDays(3)));
        write(rows);
        List<HourlyTimes> hours = all((after, limit) -> queries.runTimes(JOB, minute(0), minute(120), after, limit), 1);
        assertThat(hours).extracting(HourlyTimes::hour).containsExactly(minute(0), minute(60));
        RunTimes first = hours.get(0).times();
        assertThat(first.percentile(0.5)).contains(Duration.ofNanos(15_625_000));
        assertThat(first.percentile(0.95)).contains(Duration.ofSeconds(1));
        assertThat(first.max()).isEqualTo(Duration.ofSeconds(1));
        assertThat(hours.get(1).times().percentile(0.99)).contains(Duration.ofDays(3));
        assertThat(queries.rollups(JOB, minute(60), minute(120), null, 10).rows())
                .extracting(HourlyRollup::kind)
                .containsExactly("FAILED");
    }

    @Test
    void showsTilesAroundRange() throws SQLException {
        create();
        ClaimReport lost = Samples.report(
                Samples.owner(JOB, "0", "lost", 9),
                ClaimReport.Source.TAKER,
                ClaimReport.Decision.TAKER,
                ClaimReport.LOST);
        Skipped across = Samples.skipped(JOB, "1", 8, 12, SkipReason.PAUSED);
        Skipped inside = Samples.skipped(JOB, "0", 12, 14, SkipReason.MISFIRED);
        Skipped before = Samples.skipped(JOB, "2", 5, 9, SkipReason.MISFIRED);
        write(List.of(
                Samples.owner(JOB, "0", 7),
                Samples.owner(JOB, "0", 8),
                lost,
                Samples.owner(JOB, "0", 11),
                Samples.owner(JOB, "1", 7),
                Samples.owner(JOB, "2", 4),
                Samples.owner(JOB, "3", 15),
                across,
                inside,
                before));
        assertThat(account().claims(JOB, minute(8), minute(11), null, 10).rows())
                .extracting(ClaimReport::nonce)
                .containsExactly("lost", "0/11");
        assertThat(account().skipped(JOB, minute(10), minute(15), null, 10).rows())
                .containsExactly(inside);
        assertThat(all((after, limit) -> account().starts(JOB, minute(10), after, limit), 1))
                .containsExactly(
                        new ItemStart("0", 1, tile(7, 8), List.of(Samples.owner(JOB, "0", 8), lost), List.of()),
                        new ItemStart("1", 1, tile(6, 7), List.of(Samples.owner(JOB, "1", 7)), List.of(across)),
                        new ItemStart("2", 1, tile(4, 9), List.of(Samples.owner(JOB, "2", 4)), List.of()),
                        new ItemStart("3", 1, null, List.of(), List.of()));
    }

    /** An operator has set back the cursor in between. */
    @Test
    void theSameFiresCanBeSkippedAgain() throws SQLException {
        create();
        Skipped before = Samples.skipped(JOB, "0", 5, 9, SkipReason.PAUSED);
        Skipped after = new Skipped(
                JOB,
                "0",
                1,
                Samples.START,
                null,
                before.from(),
                minute(6),
                2,
                before.reason(),
                minute(2),
                minute(6),
                "instance-2",
                minute(7),
                false);
        write(List.of(before, after));
        write(List.of(before, after));
        Page<Skipped> first = queries.skipped(JOB, null, 1);
        assertThat(first.rows()).containsExactly(before);
        assertThat(queries.skipped(JOB, first.next(), 1).rows()).containsExactly(after);
    }

    /** The cursor is part of the key, and so the table always has one. */
    @Test
    void aTriggeredFireIsSkippedWithoutCursor() throws SQLException {
        create();
        Skipped scheduled = Samples.skipped(JOB, "0", 5, 9, SkipReason.PAUSED);
        Skipped triggered = new Skipped(
                JOB,
                "0",
                1,
                null,
                "trigger",
                scheduled.from(),
                scheduled.from(),
                1,
                scheduled.reason(),
                null,
                null,
                "instance-1",
                minute(6),
                false);
        write(List.of(scheduled, triggered));
        assertThat(queries.skipped(JOB, null, 10).rows()).containsExactly(triggered, scheduled);
    }

    @Test
    void theQueriesOfASnapshotSeeTheSameRows() throws SQLException {
        create();
        Skipped earlier = Samples.skipped(JOB, "0", 3, 4, SkipReason.PAUSED);
        write(List.of(earlier));
        assertThat(account().<List<Skipped>>snapshot(same -> {
                    assertThat(same.claims(JOB, minute(0), minute(9), null, 10).rows())
                            .isEmpty();
                    write(
                            "other",
                            List.of(Samples.owner(JOB, "0", 5), Samples.skipped(JOB, "0", 6, 6, SkipReason.PAUSED)));
                    assertThat(same.claims(JOB, minute(0), minute(9), null, 10).rows())
                            .isEmpty();
                    assertThat(same.starts(JOB, minute(9), null, 10).rows()).hasSize(1);
                    return same.skipped(JOB, minute(0), minute(9), null, 10).rows();
                }))
                .containsExactly(earlier);
        assertThat(account().skipped(JOB, minute(0), minute(9), null, 10).rows())
                .hasSize(2);
    }

    @Test
    void onlyTheAccountReadsRowsWithoutFires() throws SQLException {
        create();
        Skipped fires = Samples.skipped(JOB, "0", 3, 4, SkipReason.PAUSED);
        Skipped cursor = Samples.skipped(JOB, "0", 5, 4, SkipReason.REMOVED);
        write(List.of(fires, cursor));
        assertThat(queries.skipped(JOB, null, 10).rows()).containsExactly(fires);
        assertThat(account().skipped(JOB, minute(1), minute(9), null, 10).rows())
                .containsExactly(fires, cursor);
    }

    private static ItemStart.Tile tile(long before, long after) {
        return new ItemStart.Tile(Samples.START, minute(before), minute(after));
    }

    /** Values that a later version of the library has added must not hide the other rows. */
    @Test
    void showsRowsOfALaterVersion() throws SQLException {
        create();
        write(List.of(
                Samples.owner(JOB, "0", 1),
                Samples.owner(JOB, "0", 2),
                Samples.skipped(JOB, "0", 3, 3, SkipReason.PAUSED),
                Samples.skipped(JOB, "0", 4, 4, SkipReason.PAUSED),
                Samples.event(HistoryEvent.Kind.PLAN_CHANGED, JOB, 1),
                Samples.event(HistoryEvent.Kind.TAKEN_OVER, JOB, 2)));
        execute("UPDATE ostraka_item_run SET decision = 'ORACLE', source = 'MOON', outcome = 'ECLIPSED'"
                + " WHERE nonce = '0/1'");
        execute("UPDATE ostraka_skipped SET reason = 'ECLIPSED' WHERE first_fire = "
                + minute(3).toEpochMilli());
        execute("UPDATE ostraka_event SET kind = 'ECLIPSE' WHERE kind = 'PLAN_CHANGED'");

        assertThat(claims("0")).extracting(ClaimReport::understood).containsExactly(true, false);
        assertThat(claims("0").get(1)).satisfies(run -> {
            assertThat(run.decision()).isEqualTo(ClaimReport.Decision.OTHER);
            assertThat(run.source()).isEqualTo(ClaimReport.Source.OTHER);
            assertThat(run.outcome()).isEqualTo("ECLIPSED");
        });
        assertThat(queries.runs(JOB, null, 10).rows())
                .extracting(RunSummary::outcomes)
                .containsExactly(Map.of("SUCCEEDED", 1L), Map.of("OTHER", 1L));
        assertThat(queries.skipped(JOB, null, 10).rows())
                .extracting(Skipped::reason)
                .containsExactly("PAUSED", "ECLIPSED");
        assertThat(queries.events(JOB, null, 10).rows())
                .extracting(HistoryEvent::kind, HistoryEvent::detail)
                .containsExactly(
                        tuple(HistoryEvent.Kind.TAKEN_OVER, "TAKEN_OVER at 2"),
                        tuple(HistoryEvent.Kind.OTHER, "ECLIPSE: PLAN_CHANGED at 1"));
    }

    /** An outcome that is not known may be a failure. */
    @Test
    void failuresContainOutcomesOfALaterVersion() throws SQLException {
        create();
        write(List.of(Samples.report(
                Samples.owner(JOB, "0", 1), ClaimReport.Source.OWNER, ClaimReport.Decision.OWNER, "ECLIPSED")));
        assertThat(queries.failures(null, 10).rows())
                .extracting(ClaimReport::outcome)
                .containsExactly("ECLIPSED");
    }

    @Test
    void findsClaimsByTheirNumbers() throws SQLException {
        create();
        List<Row> rows = new ArrayList<>();
        for (int number = 1; number <= 9; number++) {
            rows.add(Samples.owner(JOB, "0", number));
            rows.add(Samples.owner(JOB, "1", number));
        }
        write(rows);
        assertThat(all((after, limit) -> account().claims(JOB, "0", 3, 8, after, limit), 2))
                .extracting(ClaimReport::nonce)
                .containsExactly("0/4", "0/5", "0/6", "0/7");
    }

    @Test
    void findsChangesOfCursors() throws SQLException {
        create();
        HistoryEvent first = Samples.event(HistoryEvent.Kind.CURSOR_SET_BACK, JOB, 1);
        HistoryEvent second = Samples.event(HistoryEvent.Kind.CURSOR_SET_BACK, JOB, 5);
        write(List.of(
                first,
                second,
                Samples.event(HistoryEvent.Kind.LEVEL, JOB, 2),
                Samples.event(HistoryEvent.Kind.CURSOR_SET_BACK, "other", 3)));
        assertThat(all((after, limit) -> account().setBacks(JOB, after, limit), 1))
                .containsExactly(second, first);
    }

    @Test
    void findsChangesOfLevel() throws SQLException {
        create();
        HistoryEvent first = Samples.event(HistoryEvent.Kind.LEVEL, JOB, 1);
        HistoryEvent second = Samples.event(HistoryEvent.Kind.LEVEL, JOB, 5);
        write(List.of(
                first,
                Samples.event(HistoryEvent.Kind.PLAN_CHANGED, JOB, 2),
                second,
                Samples.event(HistoryEvent.Kind.LEVEL, JOB, 9),
                Samples.event(HistoryEvent.Kind.LEVEL, "other", 1),
                new HistoryEvent(HistoryEvent.Kind.LEADER_CHANGED, minute(3), "instance-1", null, null, "")));
        assertThat(account().levels(JOB, minute(5), null, 10).rows()).containsExactly(second, first);
        assertThat(queries.events(JOB, null, 10).rows()).hasSize(4);
        assertThat(queries.events(null, 10).rows()).hasSize(6);
    }
}
