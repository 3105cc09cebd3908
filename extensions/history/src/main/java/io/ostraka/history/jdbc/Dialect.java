package io.ostraka.history.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Databases that can store the history, and the statements in which they differ. */
public enum Dialect {
    /** PostgreSQL. Tested with version 15. */
    POSTGRESQL("PostgreSQL"),
    /** MariaDB. Tested with version 10.11. MySQL gets the same statements, but is not tested. */
    MYSQL("MariaDB", "MySQL"),
    /** H2 for development. Tested with version 2.4. */
    H2("H2");

    /** The end of a table with the comments and the statement of an index after it. */
    private static final Pattern INDEX =
            Pattern.compile("\n\\);\n((?:\n--.*)*)\nCREATE INDEX IF NOT EXISTS (\\S+) ON \\S+( .*);");

    /** Names of the products, the tested one first. */
    private final List<String> products;

    Dialect(String... products) {
        this.products = List.of(products);
    }

    /**
     * Returns the dialect of a database.
     *
     * @throws SQLException if the database does not answer
     * @throws HistorySchemaException if the history does not support the database
     */
    public static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        for (Dialect each : values()) {
            if (each.products.stream().anyMatch(product::equalsIgnoreCase)) {
                each.requireEmptyTexts(connection);
                return each;
            }
        }
        throw new HistorySchemaException("the history cannot use the database '" + product + "'; accepted: "
                + Arrays.stream(values()).map(each -> each.products.get(0)).collect(Collectors.joining(", ")));
    }

    /** Checks that the database can store empty texts, which columns of keys contain. */
    private void requireEmptyTexts(Connection connection) throws SQLException {
        if (this != H2) {
            return;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CASE WHEN '' IS NULL THEN 1 ELSE 0 END")) {
            row.next();
            if (row.getInt(1) == 1) {
                throw new HistorySchemaException("the history cannot use H2 in a mode that stores empty texts as NULL,"
                        + " such as MODE=Oracle; accepted: every other mode");
            }
        }
    }

    /**
     * Returns the statements that create the tables in the words of this database. In the text, {@code {ascii}} marks
     * the columns whose texts are ASCII and compared byte by byte.
     */
    String script(String text) {
        return switch (this) {
            case POSTGRESQL -> text.replace("{ascii}", "COLLATE \"C\""); // is faster than the rules of a language
            case MYSQL ->
                withIndexes(text)
                        // More than one byte for each character would exceed InnoDB's limit of 3,072 bytes for a key.
                        .replace("{ascii}", "CHARACTER SET ascii COLLATE ascii_bin")
                        .replace("\n);", "\n) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;");
            case H2 -> text.replace(" {ascii}", "");
        };
    }

    /**
     * Returns the statements with each index in the statement of its table, because MySQL cannot create an index only
     * if it does not exist.
     */
    private static String withIndexes(String text) {
        Matcher index = INDEX.matcher(text);
        return index.find() ? withIndexes(index.replaceFirst(",$1\n  INDEX $2$3\n);")) : text;
    }

    /**
     * Returns the statement that inserts a row unless the table has a row with the same key. The statement has one
     * parameter for each column. If a concurrent transaction has inserted the key, the statement waits for the end of
     * that transaction. On H2, it may then fail because of the duplicate key. On MySQL, it locks the existing row.
     */
    String insertIfAbsent(Table table, TablePrefix prefix) {
        String columns = table.columnList();
        String insert = "INSERT INTO " + prefix.of(table) + " (" + columns + ") VALUES ("
                + String.join(", ", Collections.nCopies(table.columns().size(), "?")) + ")";
        return switch (this) {
            case POSTGRESQL -> insert + " ON CONFLICT DO NOTHING";
            // INSERT IGNORE would shorten texts and change invalid numbers instead of refusing them.
            case MYSQL -> insert + " ON DUPLICATE KEY UPDATE namespace = namespace";
            case H2 ->
                "MERGE INTO " + prefix.of(table) + " t USING (VALUES ("
                        + table.columns().stream()
                                .map(each -> each.number() ? "CAST(? AS BIGINT)" : "CAST(? AS VARCHAR)")
                                .collect(Collectors.joining(", "))
                        + ")) s (" + columns + ") ON "
                        + table.key().stream()
                                .map(each -> "t." + each.name() + " = s." + each.name())
                                .collect(Collectors.joining(" AND "))
                        + " WHEN NOT MATCHED THEN INSERT (" + columns + ") VALUES ("
                        + table.columns().stream()
                                .map(each -> "s." + each.name())
                                .collect(Collectors.joining(", "))
                        + ")";
        };
    }

    /** Returns the expression for the time of the database's clock: whole seconds since 1970, as milliseconds. */
    String now() {
        return switch (this) {
            case POSTGRESQL, H2 -> "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT) * 1000";
            case MYSQL -> "UNIX_TIMESTAMP() * 1000"; // other functions depend on the time zone of the session
        };
    }

    /** Returns the lowest isolation level in which all queries of a transaction see the same rows. */
    int snapshot() {
        return this == H2 ? Connection.TRANSACTION_SERIALIZABLE : Connection.TRANSACTION_REPEATABLE_READ;
    }

    /** Returns whether the update count of {@link #insertIfAbsent} shows if the row was inserted. */
    boolean countsInserts() {
        return this != MYSQL;
    }

    /**
     * Returns whether a key column can contain a text. A query must not compare a column with another text: PostgreSQL
     * refuses it, and MySQL would convert all rows instead of using an index.
     */
    boolean canBeKey(String text) {
        return text.chars().allMatch(c -> c != 0 && (this != MYSQL || c < 0x80));
    }

    /** Returns the end of a query that returns only the first rows. H2 refuses LIMIT in some compatibility modes. */
    String first(int most) {
        return this == H2 ? " FETCH FIRST " + most + " ROWS ONLY" : " LIMIT " + most;
    }

    /**
     * Returns the statement that deletes the first rows of an order.
     *
     * @param key columns of the table's key
     * @param from the table, with the index that has the columns of the condition and of the order
     * @param where condition
     * @param order columns of the order
     * @param most largest number of rows
     */
    String deleteFirst(String table, String key, String from, String where, String order, int most) {
        return switch (this) {
            case POSTGRESQL ->
                "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " + table + " WHERE " + where
                        + " ORDER BY " + order + first(most) + "))";
            case MYSQL -> // a DELETE cannot name an index, and MariaDB may choose one that makes it sort all rows
                "DELETE " + table + " FROM " + table + " JOIN (SELECT " + key + " FROM " + from + " WHERE " + where
                        + " ORDER BY " + order + first(most) + ") k USING (" + key + ")";
            case H2 -> "DELETE FROM " + table + " WHERE " + where + first(most);
        };
    }
}
