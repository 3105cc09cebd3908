package io.ostraka.history.jdbc;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.reflect.TypeToken;
import io.ostraka.history.row.TriggeredRun;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The table {@code run}: one row for each manual trigger. */
final class RunTable {
    static final Table TABLE = Table.of(
            "run",
            List.of("namespace", "job", "run_id"),
            List.of(
                    "#accepted_at",
                    "#fire_time",
                    "#item_total",
                    "requested_by",
                    "reason",
                    "rerun_of",
                    "parameters",
                    "#exact"));

    private static final int LONGEST_TEXT = 1_000;
    private static final int LONGEST_PARAMETERS = 16_000;

    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
    private static final TypeToken<Map<String, String>> MAP = new TypeToken<>() {};

    private RunTable() {}

    static List<@Nullable Object> values(String namespace, TriggeredRun run) {
        String parameters = json(run.parameters());
        return Arrays.<@Nullable Object>asList(
                namespace,
                run.job(),
                run.runId(),
                Values.millis(run.at()),
                Values.millis(run.fireTime()),
                (long) run.shardingTotalCount(),
                Values.textOrNull(run.requestedBy(), LONGEST_TEXT),
                Values.textOrNull(run.reason(), LONGEST_TEXT),
                run.rerunOf(),
                parameters,
                run.exact() && parameters.equals(GSON.toJson(run.parameters())) ? 1L : 0L);
    }

    /** Returns parameters in JSON. If the JSON is too long, shortens the values until it fits. */
    private static String json(Map<String, String> parameters) {
        for (int most = LONGEST_PARAMETERS; most > 0; most /= 2) {
            Map<String, String> shortened = new TreeMap<>();
            for (Map.Entry<String, String> each : parameters.entrySet()) {
                shortened.put(Values.text(each.getKey(), most), Values.text(each.getValue(), most));
            }
            String json = GSON.toJson(shortened);
            if (json.length() <= LONGEST_PARAMETERS) {
                return json;
            }
        }
        return "{}";
    }

    static TriggeredRun read(ResultSet row) throws SQLException {
        return new TriggeredRun(
                row.getString("job"),
                row.getString("run_id"),
                Values.instant(row, "accepted_at"),
                Values.instant(row, "fire_time"),
                row.getInt("item_total"),
                row.getString("requested_by"),
                row.getString("reason"),
                row.getString("rerun_of"),
                GSON.fromJson(row.getString("parameters"), MAP),
                row.getInt("exact") == 1);
    }
}
