package io.ostraka.history.jdbc;

import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Queries of the history of one namespace. A list is read in pages; pass the cursor of a page to get the next page.
 * Rows that are inserted meanwhile do not shift the pages. Immutable and thread-safe.
 *
 * <p>Arguments that several methods have: {@code after} is the cursor of the previous page, or null for the first page.
 * {@code limit} is the largest number of rows of a page, from 1 to 1,000. All methods throw an {@code
 * IllegalArgumentException} if a limit is out of range or if a cursor belongs to another list, and an {@code
 * SQLException} if the database does not answer.
 */
public final class Queries {
    private final HistoryDatabase database;
    private final String namespace;

    /**
     * Creates the queries.
     *
     * @param namespace namespace of the rows; empty if the jobs have none
     */
    public Queries(HistoryDatabase database, String namespace) {
        this.database = database;
        this.namespace = namespace;
    }

    private PageQuery query(Cursor.Order order, int limit) {
        return new PageQuery(database, namespace, order, limit);
    }

    /**
     * Returns the fires of a job that have claims, latest fire time first. A manual trigger has the fire time that its
     * code receives.
     */
    public Page<RunSummary> runs(String job, @Nullable Cursor after, int limit) throws SQLException {
        PageQuery query = query(Cursor.Order.RUNS, limit).and("job = ?", job).after(after);
        return new RunQuery(database, namespace, job, query).page();
    }

    /**
     * Returns one fire. Empty if the history contains neither the trigger nor a claim of the fire.
     *
     * @param fireTime fire time of the run, as in its {@link RunSummary}. If you know only its id, use
     *     {@link #fireTime}
     */
    public Optional<RunSummary> run(String job, String runId, Instant fireTime) throws SQLException {
        PageQuery query = query(Cursor.Order.RUNS, 1)
                .and("job = ?", job)
                .and("fire_time = ?", Values.millis(fireTime))
                .and("run_id = ?", runId);
        List<RunSummary> found =
                new RunQuery(database, namespace, job, query).page().rows();
        if (!found.isEmpty()) {
            return Optional.of(found.get(0));
        }
        return trigger(job, runId).map(RunQuery::withoutClaims);
    }

    /**
     * Returns the fire time of a run. It is known for a scheduled fire, because the id contains it, and for a manual
     * trigger that the history contains. Empty otherwise.
     */
    public Optional<Instant> fireTime(String job, String runId) throws SQLException {
        Optional<Instant> triggered = trigger(job, runId).map(TriggeredRun::fireTime);
        if (triggered.isPresent() || !runId.startsWith(job + "@")) {
            return triggered;
        }
        try {
            return Optional.of(Instant.parse(runId.substring(job.length() + 1)));
        } catch (DateTimeException notScheduled) {
            return Optional.empty();
        }
    }

    private Optional<TriggeredRun> trigger(String job, String runId) throws SQLException {
        Map<String, TriggeredRun> found = RunQuery.triggers(database, namespace, job, List.of(runId));
        return Optional.ofNullable(found.get(runId));
    }

    /** Returns the claims of one fire, in the order of their items. */
    public Page<ClaimReport> claimsOfRun(String job, String runId, Instant fireTime, @Nullable Cursor after, int limit)
            throws SQLException {
        return query(Cursor.Order.CLAIMS_OF_RUN, limit)
                .and("job = ?", job)
                .and("fire_time = ?", Values.millis(fireTime))
                .and("run_id = ?", runId)
                .after(after)
                .page(ItemRunTable.TABLE, "item_run_fire", ItemRunTable::read);
    }

    /**
     * Returns the claims of one item, those of the largest incarnation and latest fire time first. Incarnations begin
     * again from 1 if the job was purged or if ZooKeeper had lost its data, so older claims may come first then.
     */
    public Page<ClaimReport> claimsOfItem(String job, String item, @Nullable Cursor after, int limit)
            throws SQLException {
        return query(Cursor.Order.CLAIMS_OF_ITEM, limit)
                .and("job = ?", job)
                .and("item = ?", item)
                .after(after)
                .page(ItemRunTable.TABLE, "item_run_item", ItemRunTable::read);
    }

    /**
     * Returns the claims of all jobs that failed, latest end first: those with the outcomes {@code FAILED}, {@code
     * TIMED_OUT}, {@code INTERRUPTED}, {@code CRASHED} and {@code LOST}, and with outcomes that a later version of the
     * library has added.
     */
    public Page<ClaimReport> failures(@Nullable Cursor after, int limit) throws SQLException {
        return query(Cursor.Order.FAILURES, limit)
                .and("failed = 1")
                .after(after)
                .page(ItemRunTable.TABLE, "item_run_end", ItemRunTable::read);
    }

    /** Returns the skipped fires of a job, latest fire first. */
    public Page<Skipped> skipped(String job, @Nullable Cursor after, int limit) throws SQLException {
        return query(Cursor.Order.SKIPPED, limit)
                .and("job = ?", job)
                .and("fires > 0")
                .after(after)
                .page(SkippedTable.TABLE, "skipped_fire", SkippedTable::read);
    }

    /** Returns the events of the namespace, latest first. */
    public Page<HistoryEvent> events(@Nullable Cursor after, int limit) throws SQLException {
        return query(Cursor.Order.EVENTS, limit)
                .after(after)
                .page(EventTable.EVENT, "event_time", EventTable::readEvent);
    }

    /** Returns the events of a job, latest first. */
    public Page<HistoryEvent> events(String job, @Nullable Cursor after, int limit) throws SQLException {
        return query(Cursor.Order.EVENTS, limit)
                .and("job = ?", job)
                .after(after)
                .page(EventTable.EVENT, "event_job", EventTable::readEvent);
    }

    /** Returns the steps of operators' commands, latest first. */
    public Page<AuditEntry> audit(@Nullable Cursor after, int limit) throws SQLException {
        return query(Cursor.Order.EVENTS, limit)
                .after(after)
                .page(EventTable.AUDIT, "audit_time", EventTable::readAudit);
    }

    /**
     * Returns the roll-ups of a job, earliest hour first.
     *
     * @param from beginning of the first hour
     * @param to end of the last hour
     */
    public Page<HourlyRollup> rollups(String job, Instant from, Instant to, @Nullable Cursor after, int limit)
            throws SQLException {
        PageQuery query = query(Cursor.Order.ROLLUPS, limit)
                .and("job = ?", job)
                .and("hour_start >= ?", Values.millis(from))
                .and("hour_start < ?", Values.millis(to))
                .after(after);
        return query.page(
                "SELECT * FROM " + database.prefix().of(RollupTable.TABLE) + " WHERE " + query.where() + query.tail(),
                row -> new HourlyRollup(
                        Values.instant(row, "hour_start"),
                        row.getString("kind"),
                        row.getLong("runs"),
                        row.getLong("kept"),
                        Duration.ofMillis(row.getLong("sum_ms")),
                        RollupTable.times(row)));
    }

    /**
     * Returns the run times of a job for each hour that has a run, earliest hour first.
     *
     * @param from beginning of the first hour
     * @param to end of the last hour
     */
    public Page<HourlyTimes> runTimes(String job, Instant from, Instant to, @Nullable Cursor after, int limit)
            throws SQLException {
        PageQuery query = query(Cursor.Order.HOURS, limit)
                .and("job = ?", job)
                .and("hour_start >= ?", Values.millis(from))
                .and("hour_start < ?", Values.millis(to))
                .after(after);
        return query.page(
                RollupTable.sums(database.prefix()) + " WHERE " + query.where() + " GROUP BY hour_start" + query.tail(),
                row -> new HourlyTimes(Values.instant(row, "hour_start"), RollupTable.times(row)));
    }

    /** Returns the names of the jobs that have roll-ups, in alphabetical order. */
    public Page<String> jobs(@Nullable Cursor after, int limit) throws SQLException {
        return JobNames.page(database, namespace, database.prefix().of(RollupTable.TABLE), after, limit);
    }
}
