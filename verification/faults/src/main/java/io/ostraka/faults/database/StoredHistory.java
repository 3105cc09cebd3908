package io.ostraka.faults.database;

import io.ostraka.faults.history.Item;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * The tables of a history. They are read without the queries of the library, so that a defect in these queries cannot
 * hide anything.
 *
 * @param runs all rows about runs
 * @param rollups number of runs by job and outcome, of all hours together; the keys are {@code job outcome}
 */
public record StoredHistory(List<StoredRun> runs, Map<String, Long> rollups) {
    private static final String RUNS =
            "SELECT job, item, nonce, run_id, instance, run_number, outcome, fenced, source FROM ostraka_item_run";
    private static final String ROLLUPS = "SELECT job, kind, SUM(runs) FROM ostraka_rollup GROUP BY job, kind";

    /** Reads all tables. */
    public static StoredHistory read(DataSource source) throws SQLException {
        List<StoredRun> runs = new ArrayList<>();
        Map<String, Long> rollups = new TreeMap<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery(RUNS)) {
                while (row.next()) {
                    runs.add(new StoredRun(
                            new Item(row.getString(1), row.getString(2)),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5),
                            row.getLong(6),
                            row.getString(7),
                            row.getLong(8) != 0,
                            row.getString(9).equals("OWNER")));
                }
            }
            try (ResultSet row = statement.executeQuery(ROLLUPS)) {
                while (row.next()) {
                    rollups.put(row.getString(1) + " " + row.getString(2), row.getLong(3));
                }
            }
        }
        return new StoredHistory(runs, rollups);
    }
}
