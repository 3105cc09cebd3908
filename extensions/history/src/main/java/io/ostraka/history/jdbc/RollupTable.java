package io.ostraka.history.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The table {@code rollup}: counts and run times of a job, for each hour and outcome or reason. */
final class RollupTable {
    static final Table TABLE = Table.of("rollup", List.of("namespace", "job", "#hour_start", "kind"), numbers());

    private RollupTable() {}

    /** Statement of {@link #addition}. */
    static String add(TablePrefix prefix) {
        return "UPDATE " + prefix.of(TABLE) + " SET runs = runs + ?, kept = kept + ?, sum_ms = sum_ms + ?,"
                + " max_ms = CASE WHEN max_ms < ? THEN ? ELSE max_ms END, "
                + String.join(
                        ", ",
                        IntStream.range(0, RunTimes.BUCKETS)
                                .mapToObj(i -> bucket(i) + " = " + bucket(i) + " + ?")
                                .toList())
                + " WHERE " + TABLE.keyCondition();
    }

    private static List<String> numbers() {
        List<String> names = new ArrayList<>(List.of("#runs", "#kept", "#sum_ms", "#max_ms"));
        IntStream.range(0, RunTimes.BUCKETS).forEach(i -> names.add("#" + bucket(i)));
        return names;
    }

    /** Returns the name of the column of a bucket. */
    static String bucket(int i) {
        return "b" + i;
    }

    /** Returns the values of a row without runs. */
    static List<@Nullable Object> zero(String namespace, Rollups.Key key) {
        List<@Nullable Object> row = new ArrayList<>(List.of(namespace, key.job(), key.hour(), key.kind()));
        row.addAll(Collections.nCopies(TABLE.columns().size() - TABLE.key().size(), 0L));
        return row;
    }

    /** Returns the parameters of {@link #add}. */
    static List<Object> addition(String namespace, Rollups.Key key, Rollups.Sums sums) {
        List<Object> parameters = new ArrayList<>(List.of(sums.runs, sums.kept, sums.sumMs, sums.maxMs, sums.maxMs));
        for (long each : sums.buckets) {
            parameters.add(each);
        }
        parameters.addAll(List.of(namespace, key.job(), key.hour(), key.kind()));
        return parameters;
    }

    /** Returns the beginning of a query for the run times of all kinds together. */
    static String sums(TablePrefix prefix) {
        return "SELECT hour_start, MAX(max_ms) AS max_ms, "
                + String.join(
                        ", ",
                        IntStream.range(0, RunTimes.BUCKETS)
                                .mapToObj(i -> "SUM(" + bucket(i) + ") AS " + bucket(i))
                                .toList())
                + " FROM " + prefix.of(TABLE);
    }

    /** Returns the run times of a row. */
    static RunTimes times(ResultSet row) throws SQLException {
        List<Long> runs = new ArrayList<>();
        for (int i = 0; i < RunTimes.BUCKETS; i++) {
            runs.add(row.getLong(bucket(i)));
        }
        return new RunTimes(runs, Duration.ofMillis(row.getLong("max_ms")));
    }
}
