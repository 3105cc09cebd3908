package io.ostraka.history.jdbc;

import io.ostraka.api.ItemOutcome;
import io.ostraka.history.row.ItemRun;
import io.ostraka.history.row.TriggeredRun;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Groups claims by fire, and joins the groups with the manual triggers. */
final class RunQuery {
    private static final List<String> OUTCOMES = Stream.concat(
                    Arrays.stream(ItemOutcome.values()).map(Enum::name), Stream.of(ItemRun.LOST))
            .toList();

    private final HistoryDatabase database;
    private final PageQuery query;

    /**
     * Creates the query.
     *
     * @param query selects the claims
     */
    RunQuery(HistoryDatabase database, PageQuery query) {
        this.database = database;
        this.query = query;
    }

    /** Returns the query. */
    String sql() {
        String counts = OUTCOMES.stream()
                .map(each -> "SUM(CASE WHEN outcome = '" + each + "' THEN 1 ELSE 0 END) AS " + count(each))
                .collect(Collectors.joining(", "));
        String joined = RunTable.TABLE.columns().stream()
                .map(each -> "r." + each.name() + " AS r_" + each.name())
                .collect(Collectors.joining(", "));
        return "SELECT g.*, " + joined + " FROM (SELECT namespace, job, fire_time, run_id,"
                + " MAX(triggered) AS triggered, MAX(item_total) AS item_total, MIN(started_at) AS first_start,"
                + " MAX(ended_at) AS last_end, " + counts + " FROM "
                + database.prefix().of(ItemRunTable.TABLE)
                + " WHERE " + query.where() + " GROUP BY namespace, job, fire_time, run_id" + query.tail()
                + ") g LEFT JOIN " + database.prefix().of(RunTable.TABLE)
                + " r ON r.namespace = g.namespace AND r.job = g.job AND r.run_id = g.run_id"
                + " ORDER BY g.fire_time DESC, g.run_id DESC";
    }

    private static String count(String outcome) {
        return "n_" + outcome;
    }

    RunSummary read(ResultSet row) throws SQLException {
        Map<String, Long> outcomes = new TreeMap<>();
        for (String each : OUTCOMES) {
            long count = row.getLong(count(each));
            if (count > 0) {
                outcomes.put(each, count);
            }
        }
        return new RunSummary(
                row.getString("run_id"),
                Values.instant(row, "fire_time"),
                row.getLong("triggered") != 0,
                row.getInt("item_total"),
                outcomes,
                Values.instantOrNull(row, "first_start"),
                Values.instantOrNull(row, "last_end"),
                row.getString("r_run_id") == null ? null : RunTable.read(row, "r_"));
    }

    /** Returns a manual trigger. */
    static Optional<TriggeredRun> trigger(HistoryDatabase database, String namespace, String job, String runId)
            throws SQLException {
        String sql =
                "SELECT * FROM " + database.prefix().of(RunTable.TABLE) + " WHERE " + RunTable.TABLE.keyCondition();
        return database.transaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                PageQuery.bind(statement, List.of(namespace, job, runId));
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(RunTable.read(row, "")) : Optional.empty();
                }
            }
        });
    }

    /** Returns the summary of a manual trigger without claims. */
    static RunSummary withoutClaims(TriggeredRun trigger) {
        return new RunSummary(
                trigger.runId(), trigger.fireTime(), true, trigger.shardingTotalCount(), Map.of(), null, null, trigger);
    }
}
