package io.ostraka.history.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table of the history. A row is a list of values in the order of the columns; each value is a {@code String}, a
 * {@code Long} or null.
 *
 * @param name name without the prefix
 * @param key columns of the primary key
 * @param columns all columns, the key first
 */
record Table(String name, List<Column> key, List<Column> columns) {
    /**
     * A column.
     *
     * @param name name
     * @param number true for a number, false for a text
     */
    record Column(String name, boolean number) {}

    /**
     * Describes a table.
     *
     * @param key names of the columns of the key; a name that begins with {@code #} is a number
     * @param others names of the other columns, with the same mark
     */
    static Table of(String name, List<String> key, List<String> others) {
        List<Column> keys = columns(key);
        List<Column> all = new ArrayList<>(keys);
        all.addAll(columns(others));
        return new Table(name, keys, List.copyOf(all));
    }

    /** Returns columns by their names; a name that begins with {@code #} is a number. */
    static List<Column> columns(List<String> names) {
        return names.stream()
                .map(each -> each.startsWith("#") ? new Column(each.substring(1), true) : new Column(each, false))
                .toList();
    }

    /** Returns the names of all columns, separated by commas. */
    String columnList() {
        return names(columns, ", ");
    }

    /** Returns the condition that selects a row by its key, with one parameter for each column of the key. */
    String keyCondition() {
        return names(key, " = ? AND ") + " = ?";
    }

    private static String names(List<Column> columns, String separator) {
        return columns.stream().map(Column::name).collect(Collectors.joining(separator));
    }

    /** Sets the parameters of {@link Dialect#insertIfAbsent}. */
    void bind(PreparedStatement statement, List<@Nullable Object> row) throws SQLException {
        bind(statement, columns, row);
    }

    /** Sets one parameter for each column. */
    static void bind(PreparedStatement statement, List<Column> columns, List<@Nullable Object> values)
            throws SQLException {
        for (int i = 0; i < columns.size(); i++) {
            Object value = values.get(i);
            if (value == null) {
                statement.setNull(i + 1, columns.get(i).number() ? Types.BIGINT : Types.VARCHAR);
            } else {
                set(statement, i + 1, value);
            }
        }
    }

    /** Sets a parameter that is not null. */
    static void set(PreparedStatement statement, int index, Object value) throws SQLException {
        if (value instanceof Long number) {
            statement.setLong(index, number);
        } else {
            statement.setString(index, (String) value);
        }
    }
}
