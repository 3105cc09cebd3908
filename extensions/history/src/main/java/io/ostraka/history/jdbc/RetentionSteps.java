package io.ostraka.history.jdbc;

import io.ostraka.history.row.HistoryEvent;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Deletes old rows of one namespace in small steps. A step is a transaction that deletes at most {@value #LARGEST_STEP}
 * rows and returns their number. If the number is {@value #LARGEST_STEP}, there may be more rows; repeat the step after
 * a pause. All steps throw an {@code SQLException} if the database does not answer; a later retry may succeed.
 * Immutable and thread-safe.
 */
public final class RetentionSteps {
    /** Largest number of rows that a step deletes. */
    public static final int LARGEST_STEP = 1_000;

    private static final String LEVEL = HistoryEvent.Kind.LEVEL.name();

    private final HistoryDatabase database;
    private final String namespace;

    /**
     * Creates the steps.
     *
     * @param namespace namespace of the rows; empty if the jobs have none
     */
    public RetentionSteps(HistoryDatabase database, String namespace) {
        this.database = database;
        this.namespace = namespace;
    }

    /** Deletes claims that did not fail and ended before an instant. */
    public int succeededRuns(Instant before) throws SQLException {
        return runs(0, before);
    }

    /** Deletes claims that failed, as in {@link Queries#failures}, and ended before an instant. */
    public int failedRuns(Instant before) throws SQLException {
        return runs(1, before);
    }

    private int runs(long failed, Instant before) throws SQLException {
        return delete(
                ItemRunTable.TABLE,
                "item_run_end",
                "namespace = ? AND failed = ? AND ended_at < ?",
                "namespace, failed, ended_at",
                List.of(namespace, failed, Values.millis(before)));
    }

    /** Deletes manual triggers that ZooKeeper accepted before an instant. */
    public int triggers(Instant before) throws SQLException {
        return delete(RunTable.TABLE, "run_accepted", "accepted_at", before);
    }

    /** Deletes rows of skipped fires, if the decision was before an instant. */
    public int skipped(Instant before) throws SQLException {
        return delete(SkippedTable.TABLE, "skipped_decided", "decided_at", before);
    }

    /** Deletes events from before an instant, except those that {@link #levels} deletes. */
    public int events(Instant before) throws SQLException {
        return delete(
                EventTable.EVENT,
                "event_time",
                "namespace = ? AND happened_at < ? AND kind <> ?",
                "namespace, happened_at",
                List.of(namespace, Values.millis(before), LEVEL));
    }

    /** Returns the names of the jobs that have events, in alphabetical order. */
    public Page<String> jobsWithEvents(@Nullable Cursor after, int limit) throws SQLException {
        return JobNames.page(database, namespace, database.from(EventTable.EVENT, "event_kind"), after, limit);
    }

    /**
     * Deletes changes of a job's level from before an instant, except the latest one, because an account needs the
     * level that the job had at this instant.
     */
    public int levels(String job, Instant before) throws SQLException {
        String latest = "SELECT MAX(happened_at) FROM " + database.from(EventTable.EVENT, "event_kind")
                + " WHERE namespace = ? AND job = ? AND kind = ? AND happened_at < ?";
        long kept = database.transaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(latest)) {
                PageQuery.bind(statement, List.of(namespace, job, LEVEL, Values.millis(before)));
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1); // 0 if there is none
                }
            }
        });
        return delete(
                EventTable.EVENT,
                "event_kind",
                "namespace = ? AND job = ? AND kind = ? AND happened_at < ?",
                "namespace, job, kind, happened_at",
                List.of(namespace, job, LEVEL, kept));
    }

    /** Deletes steps of operators' commands from before an instant. */
    public int audit(Instant before) throws SQLException {
        return delete(EventTable.AUDIT, "audit_time", "happened_at", before);
    }

    /**
     * Deletes the positions of spools that no batch has changed since an instant. The instant must be so early that no
     * host still has rows of these spools: if a host repeated a batch later, its rows would count twice.
     */
    public int spools(Instant before) throws SQLException {
        return delete(
                BatchWriter.SPOOL,
                HistoryDatabase.PRIMARY,
                "namespace = ? AND updated_at < ?",
                "source", // the table is small: it has one row for each start of a process
                List.of(namespace, Values.millis(before)));
    }

    private int delete(Table table, String index, String time, Instant before) throws SQLException {
        return delete(
                table,
                index,
                "namespace = ? AND " + time + " < ?",
                "namespace, " + time,
                List.of(namespace, Values.millis(before)));
    }

    /** Deletes roll-ups of a job for hours that begin before an instant. */
    public int rollups(String job, Instant before) throws SQLException {
        return delete(
                RollupTable.TABLE,
                HistoryDatabase.PRIMARY,
                "namespace = ? AND job = ? AND hour_start < ?",
                "namespace, job, hour_start",
                List.of(namespace, job, Values.millis(before)));
    }

    /**
     * Returns the beginning of the earliest hour whose claims a job may keep. The roll-ups show the number of claims in
     * each hour. The hour in which the number exceeds the limit is kept as a whole. Empty if the job has no more claims
     * than the limit.
     *
     * @param most number of claims that the job may keep at least; not negative
     */
    public Optional<Instant> cutoff(String job, long most) throws SQLException {
        String sql = "SELECT hour_start, kept FROM " + database.prefix().of(RollupTable.TABLE)
                + " WHERE namespace = ? AND job = ? ORDER BY hour_start DESC, kind DESC";
        return database.transaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                PageQuery.bind(statement, List.of(namespace, job));
                statement.setFetchSize(LARGEST_STEP); // the sum usually exceeds the limit after few rows
                long sum = 0;
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        sum += rows.getLong("kept");
                        if (sum > most) {
                            return Optional.of(Values.instant(rows, "hour_start"));
                        }
                    }
                }
                return Optional.empty();
            }
        });
    }

    /**
     * Deletes claims of a job whose fire time and end are before an instant, earliest fire first.
     *
     * @param cutoff result of {@link #cutoff}
     */
    public int runs(String job, Instant cutoff) throws SQLException {
        long millis = Values.millis(cutoff);
        return delete(
                ItemRunTable.TABLE,
                "item_run_fire",
                "namespace = ? AND job = ? AND fire_time < ? AND ended_at < ?",
                "namespace, job, fire_time",
                List.of(namespace, job, millis, millis));
    }

    private int delete(Table table, String index, String where, String order, List<Object> parameters)
            throws SQLException {
        String key = table.key().stream().map(Table.Column::name).collect(Collectors.joining(", "));
        String sql = database.dialect()
                .deleteFirst(database.prefix().of(table), key, database.from(table, index), where, order, LARGEST_STEP);
        return database.transaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                PageQuery.bind(statement, parameters);
                return statement.executeUpdate();
            }
        });
    }
}
