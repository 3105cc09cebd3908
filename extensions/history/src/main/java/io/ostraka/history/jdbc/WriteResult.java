package io.ostraka.history.jdbc;

import io.ostraka.history.spool.Position;
import java.sql.SQLException;

/** Result of writing a batch. */
public sealed interface WriteResult {
    /** The database has the rows, and the position after them. */
    record Written() implements WriteResult {}

    /**
     * The database has stored another position than the one at which the batch begins, so nothing was written. This
     * happens after a transaction whose outcome was unknown, if another process writes the same spool, or if the
     * database was restored from a backup. Continue from the stored position.
     *
     * @param position the stored position
     */
    record AlreadyWritten(Position position) implements WriteResult {}

    /**
     * The database refuses a value of the batch; nothing was written. A retry does not help. Write smaller batches to
     * find the row.
     *
     * @param cause error of the database
     */
    record Refused(SQLException cause) implements WriteResult {}

    /**
     * The write failed for another reason, such as a lost connection. The database may have the rows nevertheless.
     * Retry the same batch later; if it does have them, the result is {@link AlreadyWritten}.
     *
     * @param cause error of the database
     */
    record Failed(SQLException cause) implements WriteResult {}
}
