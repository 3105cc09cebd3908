package io.ostraka.history.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Creates, migrates and checks the tables of the history. */
public final class Migrations {
    /** Number of the latest migration. */
    static final int LATEST = 2;

    /** Name of the table with the numbers of the executed migrations. */
    static final String VERSIONS = "schema_version";

    private static final List<Table> TABLES = List.of(
            ItemRunTable.TABLE,
            RunTable.TABLE,
            LeftOutTable.TABLE,
            EventTable.EVENT,
            EventTable.AUDIT,
            RollupTable.TABLE,
            BatchWriter.SPOOL);

    private final HistoryDatabase database;
    private final String versions;

    Migrations(HistoryDatabase database) {
        this.database = database;
        versions = database.prefix().of(VERSIONS);
    }

    /**
     * Returns all statements that create the tables of this version of the library, for migration tools. They also
     * record the migrations, so that {@link SchemaMode#VALIDATE} and {@link SchemaMode#CREATE} accept the tables.
     */
    public static String ddl(Dialect dialect, TablePrefix prefix) {
        var text = new StringBuilder();
        text.append(createVersions(prefix)).append(";\n\n");
        for (int number = 1; number <= LATEST; number++) {
            Script script = Script.load(dialect, number);
            text.append(script.text(prefix)).append("\n");
            text.append(record(prefix, number, script.checksum(), "0")).append(";\n");
        }
        return text.toString();
    }

    private static String createVersions(TablePrefix prefix) {
        return "CREATE TABLE IF NOT EXISTS " + prefix.of(VERSIONS)
                + " (version_no INT PRIMARY KEY, checksum VARCHAR(64) NOT NULL, migrated_at BIGINT NOT NULL)";
    }

    private static String record(TablePrefix prefix, int number, String checksum, String millis) {
        return "INSERT INTO " + prefix.of(VERSIONS) + " (version_no, checksum, migrated_at) VALUES (" + number + ", '"
                + checksum + "', " + millis + ")";
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
        try (SchemaLock lock = SchemaLock.acquire(database)) {
            Connection connection = lock.connection();
            execute(connection, createVersions(database.prefix()));
            SortedMap<Integer, String> executed = requireKnown(executed(connection));
            for (int number = executed.isEmpty() ? 1 : executed.lastKey() + 1; number <= LATEST; number++) {
                Script script = Script.load(database.dialect(), number);
                for (String each : script.statements(database.prefix())) {
                    execute(connection, each);
                }
                String now = Long.toString(System.currentTimeMillis());
                execute(connection, record(database.prefix(), number, script.checksum(), now));
            }
            lock.commit();
        }
    }

    private boolean isCurrent() throws SQLException {
        return probe(connection -> refusal(connection, selectVersions()) == null
                && requireKnown(executed(connection)).containsKey(LATEST));
    }

    private String selectVersions() {
        return "SELECT version_no, checksum FROM " + versions + " WHERE 1 = 0";
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
        if (refusal(connection, selectVersions()) != null) {
            missing.add("table " + versions);
        } else {
            SortedMap<Integer, String> executed = requireKnown(executed(connection));
            for (int number = 1; number <= LATEST; number++) {
                if (!executed.containsKey(number)) {
                    missing.add("migration " + number + " in " + versions);
                }
            }
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

    private SortedMap<Integer, String> executed(Connection connection) throws SQLException {
        SortedMap<Integer, String> executed = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement(
                        "SELECT version_no, checksum FROM " + versions + " WHERE version_no > 0 ORDER BY version_no");
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                executed.put(rows.getInt(1), rows.getString(2));
            }
        }
        return executed;
    }

    private SortedMap<Integer, String> requireKnown(SortedMap<Integer, String> executed) {
        executed.forEach((number, checksum) -> {
            if (number > LATEST) {
                throw new HistorySchemaException("the history's tables have version " + number + " in " + versions
                        + ", but this library knows versions up to " + LATEST + "; use a newer library");
            }
            if (!Script.load(database.dialect(), number).checksum().equals(checksum)) {
                throw new HistorySchemaException("migration " + number + " in " + versions + " has the checksum "
                        + checksum + ", which is not the one of this library; the tables may differ from what the"
                        + " library expects, so compare them with the statements of Migrations.ddl("
                        + database.dialect() + ", ...)");
            }
        });
        return executed;
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
