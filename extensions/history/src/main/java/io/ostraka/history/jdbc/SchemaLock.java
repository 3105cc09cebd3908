package io.ostraka.history.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A lock in the database. While a process holds it, no other process creates the tables with the same prefix. The
 * database releases the lock if the process dies.
 *
 * <ul>
 *   <li>PostgreSQL: an advisory lock of the transaction, which also contains the creation.
 *   <li>MySQL: a lock of the session, because each statement that changes tables is a transaction of its own.
 *   <li>H2: a row that a second connection has locked, for the same reason.
 * </ul>
 */
final class SchemaLock implements AutoCloseable {
    private static final long WAIT_SECONDS = TimeUnit.MINUTES.toSeconds(2);

    private final Dialect dialect;
    private final String name;
    private final Connection connection;
    private final @Nullable Connection holder;
    private final boolean autoCommit;

    private SchemaLock(HistoryDatabase database, Connection connection, @Nullable Connection holder)
            throws SQLException {
        dialect = database.dialect();
        // MySQL limits the length of a lock's name, and the text may be longer.
        name = UUID.nameUUIDFromBytes(("ostraka history " + connection.getCatalog() + " "
                                + database.prefix().text())
                        .getBytes(StandardCharsets.UTF_8))
                .toString();
        this.connection = connection;
        this.holder = holder;
        autoCommit = connection.getAutoCommit();
    }

    /**
     * Waits for the lock.
     *
     * @throws SQLException if the database does not answer, or if another process holds the lock for two minutes
     */
    static SchemaLock acquire(HistoryDatabase database) throws SQLException {
        Connection connection = database.source().getConnection();
        Connection holder = null;
        try {
            holder = database.dialect() == Dialect.H2 ? second(database) : null;
            var lock = new SchemaLock(database, connection, holder);
            lock.acquire(database.prefix());
            return lock;
        } catch (SQLException | RuntimeException e) {
            close(connection, e);
            if (holder != null) {
                close(holder, e);
            }
            throw e;
        }
    }

    private static Connection second(HistoryDatabase database) throws SQLException {
        try {
            return database.source().getConnection();
        } catch (SQLException e) {
            throw new SQLException(
                    "to create or migrate the history's tables in H2, the data source must give two connections at the"
                            + " same time: " + e.getMessage(),
                    e.getSQLState(),
                    e.getErrorCode(),
                    e);
        }
    }

    private static void close(Connection connection, Exception reason) {
        try {
            connection.close();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private void acquire(TablePrefix prefix) throws SQLException {
        connection.setAutoCommit(dialect != Dialect.POSTGRESQL);
        switch (dialect) {
            case POSTGRESQL -> {
                Migrations.execute(connection, "SET LOCAL lock_timeout = '" + WAIT_SECONDS + "s'");
                long key = UUID.fromString(name).getMostSignificantBits();
                Migrations.execute(connection, "SELECT pg_advisory_xact_lock(" + key + ")");
            }
            case MYSQL -> {
                try (PreparedStatement statement = connection.prepareStatement("SELECT GET_LOCK(?, ?)")) {
                    statement.setString(1, name);
                    statement.setLong(2, WAIT_SECONDS);
                    try (ResultSet row = statement.executeQuery()) {
                        if (!row.next() || row.getInt(1) != 1) {
                            throw new SQLException("another process has held the lock for the migration of the"
                                    + " history's tables for " + WAIT_SECONDS + " s");
                        }
                    }
                }
            }
            case H2 -> {
                if (holder != null) {
                    lockRow(holder, prefix.of("schema_lock"));
                }
            }
        }
    }

    private static void lockRow(Connection holder, String table) throws SQLException {
        Migrations.execute(holder, "SET LOCK_TIMEOUT " + TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        holder.setAutoCommit(true);
        Migrations.execute(holder, "CREATE TABLE IF NOT EXISTS " + table + " (id INT PRIMARY KEY)");
        holder.setAutoCommit(false);
        Migrations.execute(holder, "MERGE INTO " + table + " (id) KEY (id) VALUES (1)");
    }

    /** Returns the connection for the creation. */
    Connection connection() {
        return connection;
    }

    /** Keeps the changes. Without this call, {@link #close} reverts them if the database supports that. */
    void commit() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /** Releases the lock. */
    @Override
    public void close() throws SQLException {
        try (connection;
                Connection held = holder) {
            if (held != null) {
                held.rollback();
                held.setAutoCommit(true);
            }
            if (dialect == Dialect.MYSQL) {
                try (PreparedStatement statement = connection.prepareStatement("SELECT RELEASE_LOCK(?)")) {
                    statement.setString(1, name);
                    statement.execute();
                }
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            connection.setAutoCommit(autoCommit);
        }
    }
}
