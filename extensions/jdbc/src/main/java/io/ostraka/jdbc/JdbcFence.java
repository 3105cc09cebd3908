package io.ostraka.jdbc;

import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.ShardingContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses the transactions of runs that have lost their item. A table in the application's database keeps the largest
 * tokens that runs have sent. Each transaction of a run begins with {@link #check}, which stores the run's tokens or
 * throws an exception. If a run reads data and changes it later, it first calls {@link #check} in a separate
 * transaction, before it reads: otherwise a late writer could still change the data after the read. Immutable and
 * thread-safe.
 *
 * <p>The table has one row for each item and one row for each job. {@link #check} inserts missing rows. Usually it
 * executes one {@code UPDATE} of the item's row, so the transactions of one item wait for each other, but those of
 * different items do not. There are two exceptions. The first transaction of an item also locks the row of the job, so
 * the first transactions of different items wait for each other. The first transaction after a change of the job's item
 * count locks all rows of the job until it ends: it waits until the earlier transactions of the job's items have ended,
 * and later transactions wait for it. If your transactions are long, begin each run with a transaction that contains
 * only the check.
 *
 * <p>Rows of items that no longer exist stay in the table. They protect against late writes of these items.
 *
 * <p>Every isolation level from {@code READ COMMITTED} upwards is sufficient. From {@code REPEATABLE READ} upwards, the
 * database may refuse the transaction with a serialization failure (SQL state class 40) instead of the exception that
 * {@link #check} describes.
 *
 * <p>A transaction may check several items or jobs. If two such transactions check them in different orders, they can
 * wait for each other; the database then ends one of them with an error. To avoid this, always check items and jobs in
 * the same order.
 *
 * <p>Tested on PostgreSQL and H2. Other databases are not tested:
 *
 * <ul>
 *   <li>SQL Server and Oracle do not accept the statement of {@link #ddl}. Create the table with a statement of your
 *       own.
 *   <li>On MariaDB, keep the driver's default {@code useAffectedRows=false}, and give the table a
 *       case-sensitive collation. With its default isolation level, {@code REPEATABLE READ}, the first transactions
 *       of two items may lock the gap in which both insert their rows, and then fail with a deadlock. {@code READ
 *       COMMITTED} has no such locks.
 * </ul>
 */
public final class JdbcFence {
    /** Default name of the table: {@value}. */
    public static final String DEFAULT_TABLE = "ostraka_fence";

    private static final String NAME = "[A-Za-z_][A-Za-z0-9_]{0,62}";
    private static final Pattern TABLE = Pattern.compile("(" + NAME + "\\.)?" + NAME);

    /** Value in place of the item's key in the row of a job. The key of an item cannot contain this character. */
    private static final String WHOLE_JOB = "*";

    /** SQL states of class 42, and the states of PostgreSQL and H2 for a schema that does not exist. */
    private static final Pattern NO_TABLE = Pattern.compile("42.*|3F000|90079");

    /**
     * Number of attempts to write a row. The second attempt finds a row that another transaction has inserted
     * meanwhile, unless the isolation level hides this row.
     */
    private static final int ATTEMPTS = 2;

    private final String table;
    private final String send;
    private final String raise;
    private final String raiseJob;
    private final String raiseGenerations;
    private final String select;
    private final String insert;

    /** A row of the table. The row of an item also represents the run that sends its tokens. */
    private record Row(String job, String item, long token, long generation) {
        @Override
        public String toString() {
            return "job '" + job + "' item " + item;
        }
    }

    /** Creates a fence with the table {@value #DEFAULT_TABLE}. */
    public JdbcFence() {
        this(DEFAULT_TABLE);
    }

    /**
     * Creates a fence with a table of the application's choice. Jobs are identified by their names alone. If jobs of
     * two namespaces or of two ZooKeeper ensembles use the same database, give each namespace a table of its own.
     *
     * @param table name of the table, with or without its schema: {@code fence} or {@code orders.fence}. The name and
     *     the schema consist of up to 63 letters, digits and underscores each, and do not begin with a digit. They are
     *     not quoted in statements, so the database folds their case as usual
     * @throws IllegalArgumentException if the text is not such a name
     */
    public JdbcFence(String table) {
        if (!TABLE.matcher(table).matches()) {
            throw new IllegalArgumentException("'" + table + "' is no name of a table; accepted: table or schema.table,"
                    + " each of up to 63 letters, digits and underscores, not beginning with a digit");
        }
        this.table = table;
        String row = " WHERE job = ? AND item = ?";
        send = "UPDATE " + table + " SET token = ?" + row + " AND token <= ? AND generation = ?";
        raise = "UPDATE " + table + " SET token = ?, generation = ?" + row + " AND token <= ? AND generation <= ?";
        raiseJob = "UPDATE " + table + " SET token = token + 1, generation = ?" + row + " AND generation <= ?";
        raiseGenerations = "UPDATE " + table + " SET generation = ? WHERE job = ? AND generation < ?";
        select = "SELECT token, generation FROM " + table + row;
        insert = "INSERT INTO " + table + " (job, item, token, generation) VALUES (?, ?, ?, ?)";
    }

    /**
     * Returns the statement {@code CREATE TABLE IF NOT EXISTS} for the table. You can use it as a migration script for
     * a database that has this statement, such as PostgreSQL, H2 or MariaDB. SQL Server and Oracle need a
     * different statement with other types.
     */
    public String ddl() {
        return "CREATE TABLE IF NOT EXISTS " + table + " (job VARCHAR(128) NOT NULL, item VARCHAR(255) NOT NULL,"
                + " token BIGINT NOT NULL, generation BIGINT NOT NULL, PRIMARY KEY (job, item))";
    }

    /**
     * Creates the table if it does not exist. Several processes may call this method at the same time.
     *
     * @param connection preferably in auto-commit mode. Otherwise the statement is part of the open transaction, which
     *     may fail if another process creates the table at the same time
     * @throws SQLException if the database does not allow this user to create the table
     */
    public void createTable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute(ddl());
            } catch (SQLException e) {
                if (!connection.getAutoCommit()) {
                    throw e;
                }
                statement.execute(ddl()); // on PostgreSQL the first attempt fails if another process creates the table
            }
        }
    }

    /**
     * Stores the tokens of a run in the transaction of a connection, or refuses the run. Call this method at the
     * beginning of each transaction of the run.
     *
     * <p>If this method throws an exception, roll the transaction back, so that it has no effect. The job's code may
     * let the exception propagate; the run then fails. ZooKeeper does not record the end of a run that has lost its
     * item.
     *
     * @param connection connection in a transaction, not in auto-commit mode
     * @param context context of the run
     * @return the run's {@linkplain ShardingContext#fencingToken() fencing token}
     * @throws OwnershipLostException if a later owner of the item has stored a larger token, or a run after a change of
     *     the item count has stored a larger {@linkplain ShardingContext#generationToken() generation token}. The
     *     message contains the job, the item, the run's token and the stored token
     * @throws SQLException if the database refuses a statement. If the table does not exist, the message contains the
     *     statement that creates it
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public long check(Connection connection, ShardingContext context) throws SQLException {
        try {
            return check(
                    connection,
                    context.jobName(),
                    context.itemKey(),
                    context.fencingToken(),
                    context.generationToken());
        } catch (OwnershipLostException refused) {
            try {
                context.checkOwnership(); // if ownership is in doubt here, the engine ignores the run's failure
            } catch (OwnershipLostException doubt) {
                refused.addSuppressed(doubt);
            }
            throw refused;
        }
    }

    /**
     * Stores tokens as {@link #check(Connection, ShardingContext)} does, for code that receives the values from a run
     * of another process, for example from an HTTP job.
     *
     * @param job name of the job
     * @param item {@linkplain ShardingContext#itemKey() key} of the item
     * @param token fencing token of the run
     * @param generation generation token of the run
     * @return the fencing token
     * @throws OwnershipLostException if a larger token is stored
     * @throws SQLException if the database refuses a statement
     * @throws IllegalStateException if the connection is in auto-commit mode
     * @throws IllegalArgumentException if a token is not positive, or if the item is {@code *}
     */
    public long check(Connection connection, String job, String item, long token, long generation) throws SQLException {
        Row run = new Row(job, item, token, generation);
        if (token < 1 || generation < 1 || item.equals(WHOLE_JOB)) {
            throw new IllegalArgumentException(run + ", fencing token " + token + ", generation token " + generation
                    + "; accepted: the key of an item, and positive tokens");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(run + ": the connection is in auto-commit mode, so no transaction contains"
                    + " both the check and the writes; call setAutoCommit(false), or with Spring begin a transaction"
                    + " (@Transactional, TransactionTemplate) around the check");
        }
        if (!send(connection, run)) {
            // Each transaction locks the row of the job first, so that transactions of the same job cannot deadlock
            // here. The row changes each time, because a database may not notice a write that changes nothing: a later
            // transaction with an earlier snapshot would then miss the row of an item that has just begun.
            raise(connection, new Row(job, WHOLE_JOB, 0, generation), run);
            update(connection, raiseGenerations, generation, job, generation);
            raise(connection, run, run);
        }
        return token;
    }

    /**
     * Stores the token of a run. Returns false if the item has no row, or if its row has a larger token or another
     * generation.
     */
    private boolean send(Connection connection, Row run) throws SQLException {
        try {
            return update(connection, send, run.token, run.job, run.item, run.token, run.generation) > 0;
        } catch (SQLException e) {
            String state = e.getSQLState();
            if (state == null || !NO_TABLE.matcher(state).matches()) {
                throw e;
            }
            throw new SQLException(
                    "the table of the fence, " + table + ", does not exist or cannot be used (" + e.getMessage()
                            + "); create it with: " + ddl(),
                    state,
                    e.getErrorCode(),
                    e);
        }
    }

    /** Raises the tokens of a row, or inserts the row. Throws an exception if the row has larger tokens. */
    private void raise(Connection connection, Row row, Row run) throws SQLException {
        SQLException hidden = null;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            int raised = row.item.equals(WHOLE_JOB)
                    ? update(connection, raiseJob, row.generation, row.job, row.item, row.generation)
                    : update(
                            connection, raise, row.token, row.generation, row.job, row.item, row.token, row.generation);
            if (raised > 0) {
                return;
            }
            Row stored = stored(connection, row);
            if (stored == null) {
                hidden = insert(connection, row);
                if (hidden == null) {
                    return;
                }
            } else if (stored.generation > row.generation) {
                throw new OwnershipLostException(run + ": the item count has changed since this run began; its"
                        + " generation token is " + run.generation + ", and " + table + " has " + stored.generation);
            } else if (stored.token > row.token && !row.item.equals(WHOLE_JOB)) {
                throw new OwnershipLostException(run + ": the item has a later owner; the token of this run is "
                        + run.token + ", and " + table + " has " + stored.token);
            }
        }
        throw new SQLTransactionRollbackException(
                run + ": another transaction has changed " + table + " since this transaction began; roll back and"
                        + " try again",
                "40001",
                hidden);
    }

    private @Nullable Row stored(Connection connection, Row row) throws SQLException {
        try (PreparedStatement statement = prepare(connection, select, row.job, row.item);
                ResultSet found = statement.executeQuery()) {
            return found.next() ? new Row(row.job, row.item, found.getLong(1), found.getLong(2)) : null;
        }
    }

    /**
     * Inserts a row. Returns the error of the database if the row exists but is invisible to this transaction.
     * The savepoint keeps the transaction usable after this error. The method does not release the savepoint, because
     * the drivers of SQL Server and Oracle cannot do so; it ends with the transaction.
     */
    private @Nullable SQLException insert(Connection connection, Row row) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            update(connection, insert, row.job, row.item, row.token, row.generation);
            return null;
        } catch (SQLException e) {
            String state = e.getSQLState();
            if (state == null || !state.startsWith("23")) {
                throw e;
            }
            connection.rollback(before);
            return e;
        }
    }

    private static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }
}
