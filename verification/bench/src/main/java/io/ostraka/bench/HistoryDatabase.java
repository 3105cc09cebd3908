package io.ostraka.bench;

import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGConnectionPoolDataSource;

/** The database of a history. It is PostgreSQL if that is installed, otherwise H2 in the measured process. */
final class HistoryDatabase implements AutoCloseable {
    private static final String H2 = "jdbc:h2:";

    private final Path directory;
    private final @Nullable PostgreSqlServer server;
    private int processes;

    /**
     * Starts a PostgreSQL server if one is installed.
     *
     * @param directory directory for the files of H2 and for the spools
     */
    HistoryDatabase(Path directory) throws IOException {
        this.directory = directory;
        this.server = PostgreSqlServer.isInstalled() ? PostgreSqlServer.start() : null;
    }

    /** Returns the JVM options of the next measured process. */
    String[] options() {
        Path own = directory.resolve("history-" + ++processes);
        String url = server == null ? H2 + own.resolve("database") : server.url();
        return new String[] {
            "-D" + HistoryContender.DATABASE + "=" + url, "-D" + HistoryContender.SPOOL + "=" + own.resolve("spool")
        };
    }

    /** Returns the data source of a measured process. */
    static DataSource source(String url) {
        if (url.startsWith(H2)) {
            return JdbcConnectionPool.create(url, "sa", "");
        }
        var connections = new PGConnectionPoolDataSource();
        connections.setUrl(url);
        return JdbcConnectionPool.create(connections); // this pool of H2 works with every driver
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
