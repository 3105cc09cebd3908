package io.ostraka.history.jdbc;

import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import io.ostraka.history.spool.SpooledRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The statements that write a batch. Every transaction writes the tables in the same order, and the rows of each table
 * in the order of their keys. This prevents deadlocks between transactions. Immutable after its creation.
 */
final class PreparedBatch {
    private static final int LARGEST_JDBC_BATCH = 500;
    /** Largest number of keys in one query. */
    private static final int LARGEST_LOOKUP = 50;

    private final String namespace;
    private final SortedMap<List<String>, ClaimReport> claims = new TreeMap<>(PreparedBatch::compare);
    private final Inserts runs = new Inserts(RunTable.TABLE);
    private final Inserts skipped = new Inserts(SkippedTable.TABLE);
    private final Inserts events = new Inserts(EventTable.EVENT);
    private final Inserts audits = new Inserts(EventTable.AUDIT);
    private final Rollups rollups = new Rollups();

    /**
     * Rows to insert into a table, in the order of their keys.
     *
     * @param rows values by their keys
     */
    private record Inserts(Table table, SortedMap<List<@Nullable Object>, List<@Nullable Object>> rows) {
        Inserts(Table table) {
            this(table, new TreeMap<>(PreparedBatch::compareValues));
        }

        void add(List<@Nullable Object> row) {
            rows.putIfAbsent(row.subList(0, table.key().size()), row);
        }
    }

    private PreparedBatch(String namespace) {
        this.namespace = namespace;
    }

    static PreparedBatch of(Batch batch, String namespace) {
        var prepared = new PreparedBatch(namespace);
        batch.rows().forEach(each -> prepared.add(each, batch.source()));
        return prepared;
    }

    private static int compare(List<String> one, List<String> other) {
        for (int i = 0; i < one.size(); i++) {
            int order = one.get(i).compareTo(other.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static int compareValues(List<@Nullable Object> one, List<@Nullable Object> other) {
        for (int i = 0; i < one.size(); i++) {
            int order = one.get(i) instanceof Long number
                    ? number.compareTo((Long) other.get(i))
                    : ((String) one.get(i)).compareTo((String) other.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private void add(SpooledRow spooled, String source) {
        Row row = spooled.row();
        rollups.add(row);
        if (row instanceof ClaimReport run) {
            claims.merge(key(run), ItemRunTable.stored(run), ClaimReport::merge);
        } else if (row instanceof TriggeredRun run) {
            runs.add(RunTable.values(namespace, run));
        } else if (row instanceof Skipped skip) {
            skipped.add(SkippedTable.values(namespace, skip));
        } else if (row instanceof HistoryEvent event) {
            events.add(EventTable.values(namespace, source, spooled.at(), event));
        } else if (row instanceof AuditEntry entry) {
            audits.add(EventTable.values(namespace, source, spooled.at(), entry));
        }
    }

    /** Executes the statements in the transaction of a connection. */
    void write(Connection connection, HistoryDatabase database) throws SQLException {
        writeClaims(connection, database);
        for (Inserts each : List.of(runs, skipped, events, audits)) {
            insertIfAbsent(connection, database, each.table, each.rows.values());
        }
        writeRollups(connection, database);
    }

    private void writeClaims(Connection connection, HistoryDatabase database) throws SQLException {
        List<ClaimReport> reports = List.copyOf(claims.values());
        List<Integer> counts = insertIfAbsent(
                connection,
                database,
                ItemRunTable.TABLE,
                reports.stream()
                        .map(each -> ItemRunTable.values(namespace, each))
                        .toList());
        List<ClaimReport> perhapsKnown = new ArrayList<>();
        for (int i = 0; i < reports.size(); i++) {
            if (counts.get(i) != 1 || !database.dialect().countsInserts()) {
                perhapsKnown.add(reports.get(i));
            }
        }
        if (!perhapsKnown.isEmpty()) {
            mergeClaims(connection, database, perhapsKnown);
        }
    }

    /** Merges reports with the rows of their claims, which stay locked until the transaction ends. */
    private void mergeClaims(Connection connection, HistoryDatabase database, List<ClaimReport> reports)
            throws SQLException {
        Table table = ItemRunTable.TABLE;
        List<Table.Column> changing =
                table.columns().subList(table.key().size(), table.columns().size());
        List<Table.Column> columns = new ArrayList<>(changing);
        columns.addAll(table.key());
        String update = "UPDATE " + database.prefix().of(table) + " SET "
                + String.join(
                        ", ",
                        changing.stream().map(each -> each.name() + " = ?").toList())
                + " WHERE " + table.keyCondition();
        try (PreparedStatement statement = connection.prepareStatement(update)) {
            boolean any = false;
            for (int from = 0; from < reports.size(); from += LARGEST_LOOKUP) {
                List<ClaimReport> some = reports.subList(from, Math.min(reports.size(), from + LARGEST_LOOKUP));
                Map<List<String>, ClaimReport> stored = lock(connection, database, some);
                for (ClaimReport report : some) {
                    ClaimReport row = stored.get(key(report));
                    if (row == null) {
                        throw new SQLException("a concurrent transaction has deleted a claim", "40001");
                    }
                    List<@Nullable Object> merged = ItemRunTable.values(namespace, row.merge(report));
                    if (!merged.equals(ItemRunTable.values(namespace, row))) {
                        List<@Nullable Object> parameters =
                                new ArrayList<>(merged.subList(table.key().size(), merged.size()));
                        parameters.addAll(merged.subList(0, table.key().size()));
                        Table.bind(statement, columns, parameters);
                        statement.addBatch();
                        any = true;
                    }
                }
            }
            if (any) {
                statement.executeBatch();
            }
        }
    }

    private static List<String> key(ClaimReport run) {
        return List.of(run.job(), run.item(), run.nonce());
    }

    /** Locks the rows of some claims in the order of their keys, and returns them by their keys. */
    private Map<List<String>, ClaimReport> lock(
            Connection connection, HistoryDatabase database, List<ClaimReport> reports) throws SQLException {
        String one = "(job = ? AND item = ? AND nonce = ?)";
        String select = "SELECT * FROM " + database.from(ItemRunTable.TABLE, HistoryDatabase.PRIMARY)
                + " WHERE namespace = ? AND ("
                + String.join(" OR ", Collections.nCopies(reports.size(), one))
                + ") ORDER BY job, item, nonce FOR UPDATE";
        Map<List<String>, ClaimReport> stored = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            int parameter = 1;
            statement.setString(parameter++, namespace);
            for (ClaimReport report : reports) {
                for (String each : key(report)) {
                    statement.setString(parameter++, each);
                }
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ClaimReport row = ItemRunTable.read(rows);
                    if (row.decision() == ClaimReport.Decision.OTHER || row.source() == ClaimReport.Source.OTHER) {
                        // merging would replace the names that this version does not know
                        throw new SQLDataException(
                                "a later version of the library has written the row of the claim " + row.nonce(),
                                "22000");
                    }
                    stored.put(key(row), row);
                }
            }
        }
        return stored;
    }

    private void writeRollups(Connection connection, HistoryDatabase database) throws SQLException {
        SortedMap<Rollups.Key, Rollups.Sums> sums = rollups.sums();
        List<List<@Nullable Object>> zeros = sums.keySet().stream()
                .map(key -> RollupTable.zero(namespace, key))
                .toList();
        insertIfAbsent(connection, database, RollupTable.TABLE, zeros);
        try (PreparedStatement statement = connection.prepareStatement(RollupTable.add(database.prefix()))) {
            for (Map.Entry<Rollups.Key, Rollups.Sums> each : sums.entrySet()) {
                List<Object> parameters = RollupTable.addition(namespace, each.getKey(), each.getValue());
                for (int i = 0; i < parameters.size(); i++) {
                    Table.set(statement, i + 1, parameters.get(i));
                }
                statement.addBatch();
            }
            if (!sums.isEmpty()) {
                statement.executeBatch();
            }
        }
    }

    /** Inserts rows, and returns the update counts of the statements. */
    private static List<Integer> insertIfAbsent(
            Connection connection, HistoryDatabase database, Table table, Collection<List<@Nullable Object>> rows)
            throws SQLException {
        List<Integer> counts = new ArrayList<>(rows.size());
        if (rows.isEmpty()) {
            return counts;
        }
        String insert = database.dialect().insertIfAbsent(table, database.prefix());
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            int waiting = 0;
            for (List<@Nullable Object> row : rows) {
                table.bind(statement, row);
                statement.addBatch();
                if (++waiting == LARGEST_JDBC_BATCH) {
                    add(counts, statement.executeBatch());
                    waiting = 0;
                }
            }
            if (waiting > 0) {
                add(counts, statement.executeBatch());
            }
        }
        return counts;
    }

    private static void add(List<Integer> counts, int[] more) {
        for (int each : more) {
            counts.add(each);
        }
    }
}
