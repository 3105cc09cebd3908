package io.ostraka.history.jdbc;

import io.ostraka.api.ItemOutcome;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.TriggeredRun;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Queries fires: groups the claims by fire, and adds to each fire of a manual trigger the data of the trigger. */
final class RunQuery {
    /** Outcome name for all outcomes that later versions of the library have added. */
    private static final String OTHER = "OTHER";

    private static final List<String> OUTCOMES = Stream.concat(
                    Arrays.stream(ItemOutcome.values()).map(Enum::name), Stream.of(ClaimReport.LOST))
            .toList();

    private final HistoryDatabase database;
    private final String namespace;
    private final String job;
    private final PageQuery query;

    /** The key of a fire. */
    private record Fire(Instant time, String runId) {
        static Fire of(RunSummary run) {
            return new Fire(run.fireTime(), run.runId());
        }
    }

    /**
     * Creates the query.
     *
     * @param query selects claims of the job
     */
    RunQuery(HistoryDatabase database, String namespace, String job, PageQuery query) {
        this.database = database;
        this.namespace = namespace;
        this.job = job;
        this.query = query;
    }

    /** Returns a page of fires. */
    Page<RunSummary> page() throws SQLException {
        Set<Fire> repeated = new HashSet<>();
        Page<RunSummary> fires = query.page(sql(), row -> {
            RunSummary fire = read(row);
            if (fire.claims() > row.getLong("items")) {
                repeated.add(Fire.of(fire));
            }
            return fire;
        });
        Map<Fire, Map<String, Long>> ofItems = outcomesOfItems(repeated);
        List<String> triggered = fires.rows().stream()
                .filter(RunSummary::triggered)
                .map(RunSummary::runId)
                .toList();
        Map<String, TriggeredRun> triggers = triggers(database, namespace, job, triggered);
        return new Page<>(
                fires.rows().stream()
                        .map(each -> each.with(triggers.get(each.runId())))
                        .map(each -> each.with(ofItems.getOrDefault(Fire.of(each), each.outcomes())))
                        .toList(),
                fires.next());
    }

    /** Returns the number of items for each outcome of their last claims. */
    private Map<Fire, Map<String, Long>> outcomesOfItems(Set<Fire> fires) throws SQLException {
        if (fires.isEmpty()) {
            return Map.of();
        }
        String places = String.join(", ", Collections.nCopies(fires.size(), "?"));
        String sql = "SELECT fire_time, run_id, item, outcome FROM "
                + database.from(ItemRunTable.TABLE, "item_run_fire")
                + " WHERE namespace = ? AND job = ? AND fire_time IN (" + places + ") AND run_id IN (" + places
                + ") ORDER BY incarnation, run_number";
        List<Object> parameters = new ArrayList<>(List.of(namespace, job));
        fires.forEach(each -> parameters.add(Values.millis(each.time())));
        fires.forEach(each -> parameters.add(each.runId()));
        Map<Fire, Map<String, String>> last = new HashMap<>();
        database.transaction(connection -> {
            last.clear(); // the transaction may be repeated
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                PageQuery.bind(statement, parameters);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        Fire fire = new Fire(Values.instant(rows, "fire_time"), rows.getString("run_id"));
                        last.computeIfAbsent(fire, any -> new HashMap<>())
                                .put(rows.getString("item"), rows.getString("outcome"));
                    }
                }
            }
            return last;
        });
        Map<Fire, Map<String, Long>> counts = new HashMap<>();
        last.forEach((fire, byItem) -> counts.put(
                fire,
                byItem.values().stream()
                        .collect(Collectors.groupingBy(
                                each -> OUTCOMES.contains(each) ? each : OTHER, Collectors.counting()))));
        return counts;
    }

    private String sql() {
        String counts = OUTCOMES.stream()
                .map(each -> "SUM(CASE WHEN outcome = '" + each + "' THEN 1 ELSE 0 END) AS " + count(each))
                .collect(Collectors.joining(", "));
        return "SELECT fire_time, run_id, MAX(triggered) AS triggered, MAX(item_total) AS item_total,"
                + " MIN(started_at) AS first_start, MAX(ended_at) AS last_end, COUNT(*) AS claims,"
                + " COUNT(DISTINCT item) AS items, MIN(item) AS first_item, " + counts + " FROM "
                + database.from(ItemRunTable.TABLE, "item_run_fire") + " WHERE " + query.where()
                + " GROUP BY fire_time, run_id"
                + query.tail();
    }

    private static String count(String outcome) {
        return "n_" + outcome;
    }

    private static RunSummary read(ResultSet row) throws SQLException {
        Map<String, Long> outcomes = new TreeMap<>();
        long claims = row.getLong("claims");
        long others = claims;
        for (String each : OUTCOMES) {
            long count = row.getLong(count(each));
            others -= count;
            if (count > 0) {
                outcomes.put(each, count);
            }
        }
        if (others > 0) {
            outcomes.put(OTHER, others);
        }
        return new RunSummary(
                row.getString("run_id"),
                Values.instant(row, "fire_time"),
                row.getLong("triggered") != 0,
                row.getInt("item_total"),
                outcomes,
                claims,
                row.getLong("items") == 1 ? row.getString("first_item") : null,
                Values.instantOrNull(row, "first_start"),
                Values.instantOrNull(row, "last_end"),
                null);
    }

    /** Returns the manual triggers that the history contains, by their run ids. */
    static Map<String, TriggeredRun> triggers(
            HistoryDatabase database, String namespace, String job, List<String> runIds) throws SQLException {
        String sql = "SELECT * FROM " + database.prefix().of(RunTable.TABLE)
                + " WHERE namespace = ? AND job = ? AND run_id IN ("
                + String.join(", ", Collections.nCopies(runIds.size(), "?")) + ")";
        List<Object> parameters = new ArrayList<>(List.of(namespace, job));
        parameters.addAll(runIds);
        if (runIds.isEmpty() || !PageQuery.canMatch(database, parameters)) {
            return Map.of();
        }
        return database.transaction(connection -> {
            Map<String, TriggeredRun> found = new HashMap<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                PageQuery.bind(statement, parameters);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        TriggeredRun trigger = RunTable.read(rows);
                        found.put(trigger.runId(), trigger);
                    }
                }
            }
            return found;
        });
    }

    /** Returns the summary of a manual trigger without claims. */
    static RunSummary withoutClaims(TriggeredRun trigger) {
        return new RunSummary(
                trigger.runId(),
                trigger.fireTime(),
                true,
                trigger.shardingTotalCount(),
                Map.of(),
                0,
                null,
                null,
                null,
                trigger);
    }
}
