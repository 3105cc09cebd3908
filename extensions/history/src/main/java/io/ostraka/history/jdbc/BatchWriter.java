package io.ostraka.history.jdbc;

import io.ostraka.history.spool.Position;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Writes rows of spools. A batch is one transaction: it inserts the rows, merges reports about the same claim, adds to
 * the roll-ups, and stores the new position in the spool. Therefore no row counts twice. Immutable and thread-safe.
 */
public final class BatchWriter {
    static final Table SPOOL =
            Table.of("spool", List.of("source"), List.of("namespace", "#segment", "#byte_offset", "#updated_at"));

    private final HistoryDatabase database;
    private final String namespace;
    private final String select;
    private final String update;

    /**
     * Creates a writer.
     *
     * @param namespace namespace of the rows; empty if the jobs have none
     */
    public BatchWriter(HistoryDatabase database, String namespace) {
        this.database = database;
        this.namespace = namespace;
        String table = database.prefix().of(SPOOL);
        select = "SELECT segment, byte_offset FROM " + table + " WHERE source = ?";
        update = "UPDATE " + table + " SET segment = ?, byte_offset = ?, updated_at = "
                + database.dialect().now() + " WHERE source = ? AND segment = ? AND byte_offset = ?";
    }

    /**
     * Returns the position up to which the database has the rows of a spool. Empty if the database does not know the
     * spool.
     *
     * @throws SQLException if the database does not answer; a later retry may succeed
     */
    public Optional<Position> position(String source) throws SQLException {
        return database.transaction(connection -> position(connection, source));
    }

    private Optional<Position> position(Connection connection, String source) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setString(1, source);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(new Position(row.getLong(1), row.getLong(2))) : Optional.empty();
            }
        }
    }

    /**
     * Writes a batch. Transactions that conflict with others, such as deadlocks, are repeated a few times. Blocks until
     * the database has answered.
     */
    public WriteResult write(Batch batch) {
        PreparedBatch prepared = PreparedBatch.of(batch, namespace);
        try {
            return database.transaction(connection -> write(connection, batch, prepared));
        } catch (SQLException e) {
            return Failures.of(e) == Failures.DATA ? new WriteResult.Refused(e) : new WriteResult.Failed(e);
        }
    }

    private WriteResult write(Connection connection, Batch batch, PreparedBatch prepared) throws SQLException {
        if (!advance(connection, batch)) {
            Optional<Position> stored = position(connection, batch.source());
            if (stored.isPresent()) {
                return new WriteResult.AlreadyWritten(stored.get());
            }
            insertPosition(connection, batch);
        }
        prepared.write(connection, database);
        return new WriteResult.Written();
    }

    private boolean advance(Connection connection, Batch batch) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(update)) {
            statement.setLong(1, batch.to().segment());
            statement.setLong(2, batch.to().offset());
            statement.setString(3, batch.source());
            statement.setLong(4, batch.from().segment());
            statement.setLong(5, batch.from().offset());
            return statement.executeUpdate() > 0;
        }
    }

    /** Inserts the position of a spool. A duplicate key counts as a conflict, so the transaction begins again. */
    private void insertPosition(Connection connection, Batch batch) throws SQLException {
        String insert = "INSERT INTO " + database.prefix().of(SPOOL) + " (" + SPOOL.columnList()
                + ") VALUES (?, ?, ?, ?, " + database.dialect().now() + ")";
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            PageQuery.bind(
                    statement,
                    List.of(
                            batch.source(),
                            namespace,
                            batch.to().segment(),
                            batch.to().offset()));
            statement.executeUpdate();
        }
    }
}
