package io.ostraka.history.jdbc;

import io.ostraka.history.spool.Position;
import java.sql.SQLException;

/** Result of writing a batch. */
public sealed interface WriteResult {
    /** The database has the rows, and the place after them. */
    record Written() implements WriteResult {}

    /**
     * The database has stored another place than the one from which the batch begins, so nothing was written. This
     * happens after a transaction whose outcome was unknown, if another process writes the same spool, or if the
     * database was restored from a backup. Continue from the stored place.
     *
     * @param position stored place
     */
    record AlreadyWritten(Position position) implements WriteResult {}

    /**
     * The database refuses a value of the batch; nothing was written. A retry does not help. Smaller batches show which
     * row it is.
     *
     * @param cause error of the database
     */
    record Refused(SQLException cause) implements WriteResult {}

    /**
     * Writing failed for another reason, such as a lost connection. The rows may be in the database nevertheless. Retry
     * the same batch later; if they are, the result is {@link AlreadyWritten}.
     *
     * @param cause error of the database
     */
    record Failed(SQLException cause) implements WriteResult {}
}
