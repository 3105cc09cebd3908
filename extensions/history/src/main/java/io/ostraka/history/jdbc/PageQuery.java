package io.ostraka.history.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A query for a page of a list. Selects the rows after the key of the previous page's last row, never by offset. */
final class PageQuery {
    private static final int LARGEST_LIMIT = 1_000;

    private final HistoryDatabase database;
    private final @Nullable Connection snapshot;
    private final Cursor.Order order;
    private final int limit;
    private final StringBuilder where = new StringBuilder();
    private final List<Object> parameters = new ArrayList<>();

    /** Reads a row of a result. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /**
     * Begins a query for the rows of a namespace.
     *
     * @param limit largest number of rows, from 1 to 1,000
     * @throws IllegalArgumentException if the limit is out of range
     */
    PageQuery(HistoryDatabase database, String namespace, Cursor.Order order, int limit) {
        this(database, null, namespace, order, limit);
    }

    /** @param snapshot transaction in which the query runs; null for one of its own */
    PageQuery(
            HistoryDatabase database, @Nullable Connection snapshot, String namespace, Cursor.Order order, int limit) {
        requireLimit(limit);
        this.database = database;
        this.snapshot = snapshot;
        this.order = order;
        this.limit = limit;
        where.append("namespace = ?");
        parameters.add(namespace);
    }

    static void requireLimit(int limit) {
        if (limit < 1 || limit > LARGEST_LIMIT) {
            throw new IllegalArgumentException("limit is " + limit + "; accepted: 1 to " + LARGEST_LIMIT);
        }
    }

    /** Adds a condition with a parameter, or several parameters. */
    PageQuery and(String condition, Object... values) {
        where.append(" AND ").append(condition);
        parameters.addAll(List.of(values));
        return this;
    }

    /**
     * Adds the condition that rows follow a position.
     *
     * @param after the position; null for the beginning
     * @throws IllegalArgumentException if the cursor belongs to another list
     */
    PageQuery after(@Nullable Cursor after) {
        if (after == null) {
            return this;
        }
        List<Object> key = after.values(order);
        List<String> columns = order.columns.stream().map(Table.Column::name).toList();
        String sign = order.descending ? " < " : " > ";
        if (database.dialect() == Dialect.POSTGRESQL) {
            where.append(" AND (")
                    .append(String.join(", ", columns))
                    .append(")")
                    .append(sign);
            where.append("(")
                    .append(String.join(", ", Collections.nCopies(key.size(), "?")))
                    .append(")");
            parameters.addAll(key);
        } else { // MySQL uses no index to compare rows; the first condition gives it a range of the index
            and(columns.get(0) + sign.stripTrailing() + "= ?", key.get(0));
            var rest = new StringBuilder();
            int last = columns.size() - 1;
            for (int i = 0; i < last; i++) {
                rest.append("(")
                        .append(columns.get(i))
                        .append(sign)
                        .append("? OR (")
                        .append(columns.get(i));
                rest.append(" = ? AND ");
                parameters.add(key.get(i));
                parameters.add(key.get(i));
            }
            rest.append(columns.get(last)).append(sign).append("?").append("))".repeat(last));
            parameters.add(key.get(last));
            where.append(" AND ").append(rest);
        }
        return this;
    }

    /** Returns the condition. */
    String where() {
        return where.toString();
    }

    /**
     * Returns the order and the limit of the rows. The query reads one row more than a page has, to find out if there
     * is a next page.
     */
    String tail() {
        return " ORDER BY "
                + order.columns.stream()
                        .map(each -> each.name() + (order.descending ? " DESC" : ""))
                        .collect(Collectors.joining(", "))
                + database.dialect().first(limit + 1);
    }

    /**
     * Returns a page of the rows of a table.
     *
     * @param index name of the index that has the columns of the condition and of the order
     */
    <T> Page<T> page(Table table, String index, Reader<T> reader) throws SQLException {
        return page("SELECT * FROM " + database.from(table, index) + " WHERE " + where + tail(), reader);
    }

    /**
     * Returns a page.
     *
     * @param sql a query with {@link #where} and {@link #tail}, and without other parameters
     */
    <T> Page<T> page(String sql, Reader<T> reader) throws SQLException {
        if (!canMatch(database, parameters)) {
            return new Page<>(List.of(), null);
        }
        return snapshot == null
                ? database.transaction(connection -> page(connection, sql, reader))
                : page(snapshot, sql, reader);
    }

    private <T> Page<T> page(Connection connection, String sql, Reader<T> reader) throws SQLException {
        List<T> rows = new ArrayList<>();
        Cursor last = null;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    if (rows.size() == limit) {
                        return new Page<>(rows, last);
                    }
                    rows.add(reader.read(result));
                    if (rows.size() == limit) {
                        last = Cursor.after(order, result);
                    }
                }
            }
        }
        return new Page<>(rows, null);
    }

    /** Returns whether the key columns of a row can be equal to the texts among some parameters. */
    static boolean canMatch(HistoryDatabase database, List<Object> parameters) {
        return parameters.stream()
                .allMatch(each ->
                        !(each instanceof String text) || database.dialect().canBeKey(text));
    }

    static void bind(PreparedStatement statement, List<Object> parameters) throws SQLException {
        for (int i = 0; i < parameters.size(); i++) {
            Table.set(statement, i + 1, parameters.get(i));
        }
    }
}
