package io.ostraka.history.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates and checks the tables of the history. */
public final class Migrations {
    /** Version of the tables, which the database stores, so that later versions of the library know what to change. */
    static final int VERSION = 1;

    private static final String VERSIONS = "schema_version";

    private static final List<Table> TABLES = List.of(
            ItemRunTable.TABLE,
            RunTable.TABLE,
            SkippedTable.TABLE,
            EventTable.EVENT,
            EventTable.AUDIT,
            RollupTable.TABLE,
            BatchWriter.SPOOL);

    private final HistoryDatabase database;
    private final Script script;
    private final String versions;
    private final String selectVersions;

    Migrations(HistoryDatabase database) {
        this.database = database;
        script = Script.load(database.dialect());
        versions = database.prefix().of(VERSIONS);
        selectVersions = "SELECT version_no, checksum FROM " + versions + " ORDER BY version_no";
    }

    /**
     * Returns all statements that create the tables of this version of the library, for migration tools. They also
     * record the version, so that {@link SchemaMode#VALIDATE} and {@link SchemaMode#CREATE} accept the tables.
     */
    public static String ddl(Dialect dialect, TablePrefix prefix) {
        Script script = Script.load(dialect);
        return createVersions(prefix) + ";\n\n" + script.text(prefix) + "\n" + record(prefix, script, 0) + ";\n";
    }

    private static String createVersions(TablePrefix prefix) {
        return "CREATE TABLE IF NOT EXISTS " + prefix.of(VERSIONS)
                + " (version_no INT PRIMARY KEY, checksum VARCHAR(64) NOT NULL, migrated_at BIGINT NOT NULL)";
    }

    private static String record(TablePrefix prefix, Script script, long millis) {
        return "INSERT INTO " + prefix.of(VERSIONS) + " (version_no, checksum, migrated_at) VALUES (" + VERSION + ", '"
                + script.checksum() + "', " + millis + ")";
    }

    void prepare(SchemaMode mode) throws SQLException {
        switch (mode) {
            case CREATE -> create();
            case VALIDATE -> validate();
            case NONE -> {}
        }
    }

    private void create() throws SQLException {
        if (isCurrent()) { // so this start needs no right to create tables
            return;
        }
        TablePrefix prefix = database.prefix();
        try (SchemaLock lock = SchemaLock.acquire(database)) {
            Connection connection = lock.connection();
            execute(connection, createVersions(prefix));
            if (!isRecorded(connection)) {
                for (String each : script.statements(prefix)) {
                    execute(connection, each);
                }
                execute(
                        connection,
                        record(prefix, script, database.now(connection).toEpochMilli()));
            }
            lock.commit();
        }
    }

    private boolean isCurrent() throws SQLException {
        return probe(connection -> refusal(connection, selectVersions) == null && isRecorded(connection));
    }

    /**
     * Runs queries that may fail, each in its own transaction: on PostgreSQL, no statement of a transaction succeeds
     * after an error.
     */
    private <T> T probe(HistoryDatabase.Work<T> work) throws SQLException {
        try (Connection connection = database.source().getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                return work.run(connection);
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private void validate() throws SQLException {
        List<String> missing = probe(this::missing);
        if (!missing.isEmpty()) {
            throw new HistorySchemaException("the database lacks parts of the history's tables: "
                    + String.join(", ", missing) + "; create them with mode CREATE or with the statements of"
                    + " Migrations.ddl(" + database.dialect() + ", ...)");
        }
    }

    private List<String> missing(Connection connection) throws SQLException {
        List<String> missing = new ArrayList<>();
        if (refusal(connection, selectVersions) != null) {
            missing.add("table " + versions);
        } else if (!isRecorded(connection)) {
            missing.add("migration " + VERSION + " in " + versions);
        }
        for (Table each : TABLES) {
            addMissing(connection, each, missing);
        }
        return missing;
    }

    private void addMissing(Connection connection, Table table, List<String> missing) throws SQLException {
        String name = database.prefix().of(table);
        String from = " FROM " + name + " WHERE 1 = 0";
        if (refusal(connection, "SELECT " + table.columnList() + from) == null) {
            return;
        }
        SQLException refused = refusal(connection, "SELECT 1" + from);
        if (refused != null) {
            missing.add("table " + name + " (" + refused.getMessage() + ")");
            return;
        }
        for (Table.Column each : table.columns()) {
            if (refusal(connection, "SELECT " + each.name() + from) != null) {
                missing.add("column " + name + "." + each.name());
            }
        }
    }

    /** Returns the error with which the database refuses a query; null if it accepts the query. */
    private static @Nullable SQLException refusal(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery(query).close();
            return null;
        } catch (SQLException e) {
            String state = e.getSQLState() == null ? "" : e.getSQLState();
            if (state.startsWith("42") || state.equals("3F000") || state.startsWith("90")) {
                return e;
            }
            throw e; // for example a lost connection
        }
    }

    /**
     * Returns whether the database has recorded the version of the tables.
     *
     * @throws HistorySchemaException if it has recorded other tables
     */
    private boolean isRecorded(Connection connection) throws SQLException {
        boolean recorded = false;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(selectVersions)) {
            while (rows.next()) {
                requireKnown(rows.getInt(1), rows.getString(2));
                recorded = true;
            }
        }
        return recorded;
    }

    private void requireKnown(int number, String checksum) {
        if (number > VERSION) {
            throw new HistorySchemaException("the history's tables have version " + number + " in " + versions
                    + ", but this library knows versions up to " + VERSION + "; use a newer library");
        }
        if (!script.checksum().equals(checksum)) {
            throw new HistorySchemaException("migration " + number + " in " + versions + " has the checksum "
                    + checksum + ", which is not the one of this library; the tables may differ from what the"
                    + " library expects, so compare them with the statements of Migrations.ddl("
                    + database.dialect() + ", ...)");
        }
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
