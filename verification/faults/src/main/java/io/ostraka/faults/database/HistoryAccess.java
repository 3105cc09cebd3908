package io.ostraka.faults.database;

import io.ostraka.history.History;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The database and the spools in which the processes of a host keep their history.
 *
 * @param url JDBC URL of the database
 * @param spool directory for the spools of all processes
 */
public record HistoryAccess(String url, String spool) {
    /** Time that a process that shuts down waits for a database that does not answer. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /** Creates the access to a database. */
    public static HistoryAccess of(String url, Path spool) {
        return new HistoryAccess(url, spool.toAbsolutePath().toString());
    }

    /** Creates the history of a process. */
    public History history() {
        return History.newBuilder(source(), Path.of(spool))
                .closeTimeout(CLOSE_TIMEOUT)
                .build();
    }

    /** Returns a data source that keeps a single connection. */
    public DataSource source() {
        return new SingleConnection(url);
    }
}
