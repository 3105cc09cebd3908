package io.ostraka.history.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names of the jobs in a table. */
final class JobNames {
    private JobNames() {}

    /**
     * Returns names in alphabetical order.
     *
     * @param table table as {@link HistoryDatabase#from} returns it; an index begins with the namespace and the job
     */
    static Page<String> page(
            HistoryDatabase database, String namespace, String table, @Nullable Cursor after, int limit)
            throws SQLException {
        PageQuery.requireLimit(limit);
        String last =
                after == null ? "" : (String) after.values(Cursor.Order.JOBS).get(0);
        if (!PageQuery.canMatch(database, List.of(last))) {
            return new Page<>(List.of(), null);
        }
        return database.transaction(connection -> page(connection, database.dialect(), namespace, table, last, limit));
    }

    /** Searches for the next job after each job found, because a query for distinct names would read all rows. */
    private static Page<String> page(
            Connection connection, Dialect dialect, String namespace, String table, String after, int limit)
            throws SQLException {
        List<String> jobs = new ArrayList<>();
        String sql = "SELECT job FROM " + table + " WHERE namespace = ? AND job > ? ORDER BY job" + dialect.first(1);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            String last = after;
            while (true) {
                PageQuery.bind(statement, List.of(namespace, last));
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        return new Page<>(jobs, null);
                    }
                    if (jobs.size() == limit) {
                        return new Page<>(jobs, Cursor.after(Cursor.Order.JOBS, last));
                    }
                    last = row.getString("job");
                    jobs.add(last);
                }
            }
        }
    }
}
