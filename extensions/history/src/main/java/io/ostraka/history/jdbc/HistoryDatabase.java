package io.ostraka.history.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The application's database with the tables of the history. Immutable and thread-safe.
 *
 * @param source source of connections. Each transaction uses one connection, and closes it at its end
 * @param dialect dialect of the database
 * @param prefix beginning of the tables' names
 */
public record HistoryDatabase(DataSource source, Dialect dialect, TablePrefix prefix) {
    /** Name of the index of the primary key. */
    static final String PRIMARY = "PRIMARY";

    /** Number of attempts of a transaction that conflicts with others. */
    private static final int ATTEMPTS = 8;

    /** Statements of a transaction. */
    @FunctionalInterface
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /**
     * Connects to the database and detects its dialect.
     *
     * @throws SQLException if the database does not answer; a later retry may succeed
     * @throws HistorySchemaException if the history does not support the database
     */
    public static HistoryDatabase connect(DataSource source, TablePrefix prefix) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return new HistoryDatabase(source, Dialect.of(connection), prefix);
        }
    }

    /**
     * Creates or checks the tables. Any number of processes may do so at the same time.
     *
     * @throws SQLException if the database does not answer, or refuses a statement; a later retry may succeed
     * @throws HistorySchemaException if tables, columns or the record of their version are missing in mode
     *     {@code VALIDATE}, or if the database has recorded the tables of another version of this library
     */
    public void prepare(SchemaMode mode) throws SQLException {
        new Migrations(this).prepare(mode);
    }

    /** Returns the time of the database's clock, in whole seconds. */
    public Instant now() throws SQLException {
        return transaction(this::now);
    }

    Instant now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + dialect.now())) {
            row.next();
            return Instant.ofEpochMilli(row.getLong(1));
        }
    }

    /**
     * Returns a table for a query. MySQL gets the name of the index, because it may otherwise read and sort many rows
     * instead of reading a few in their order.
     *
     * @param index name of an index without the prefix, or {@link #PRIMARY}
     */
    String from(Table table, String index) {
        String name = prefix.of(table);
        if (dialect != Dialect.MYSQL) {
            return name;
        }
        return name + " FORCE INDEX (" + (index.equals(PRIMARY) ? index : prefix.withoutSchema() + index) + ")";
    }

    /**
     * Runs statements in a transaction of their own with isolation level {@code READ COMMITTED}. Repeats the
     * transaction a few times if it conflicts with another one, for example in a deadlock.
     */
    <T> T transaction(Work<T> work) throws SQLException {
        return transaction(Connection.TRANSACTION_READ_COMMITTED, work);
    }

    /** Runs queries in a transaction in which all of them see the same rows. */
    <T> T snapshot(Work<T> queries) throws SQLException {
        return transaction(dialect.snapshot(), queries);
    }

    private <T> T transaction(int isolation, Work<T> work) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try (Connection connection = source.getConnection()) {
                return once(connection, isolation, work);
            } catch (SQLException e) {
                if (attempt == ATTEMPTS || Failures.of(e) != Failures.CONFLICT) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(
                        ThreadLocalRandom.current().nextInt(1, 10 << attempt)));
            }
        }
    }

    private static <T> T once(Connection connection, int isolation, Work<T> work) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        int before = connection.getTransactionIsolation();
        if (before != isolation) {
            connection.setTransactionIsolation(isolation);
        }
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            T result = work.run(connection);
            connection.commit();
            done = true;
            return result;
        } finally {
            restore(connection, done, autoCommit, before == isolation ? null : before);
        }
    }

    /** Restores the state that a connection had when the pool gave it. The transaction has ended even if this fails. */
    private static void restore(Connection connection, boolean done, boolean autoCommit, @Nullable Integer isolation) {
        try {
            if (!done) {
                connection.rollback();
            }
            connection.setAutoCommit(autoCommit);
            if (isolation != null) {
                connection.setTransactionIsolation(isolation);
            }
        } catch (SQLException broken) {
            // The connection is unusable, and its pool will notice this. The error of the transaction is more useful.
        }
    }
}
