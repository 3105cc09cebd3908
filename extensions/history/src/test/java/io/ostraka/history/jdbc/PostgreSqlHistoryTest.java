package io.ostraka.history.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests the history with PostgreSQL. */
@Tag("cluster")
@Tag("postgresql")
class PostgreSqlHistoryTest extends HistoryContract {
    private static final PGSimpleDataSource SOURCE = new PGSimpleDataSource();
    private static PostgreSqlServer server;

    @BeforeAll
    static void startServer() throws IOException {
        assumeTrue(PostgreSqlServer.isInstalled(), PostgreSqlServer.NOT_INSTALLED);
        server = PostgreSqlServer.start();
        SOURCE.setUrl(server.url());
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    @Override
    void connect() throws SQLException {
        execute("DROP SCHEMA IF EXISTS operations CASCADE");
        execute("DROP SCHEMA public CASCADE");
        execute("CREATE SCHEMA public");
        super.connect();
    }

    @Override
    DataSource source() {
        return SOURCE;
    }

    @Override
    String createSchema(String name) {
        return "CREATE SCHEMA " + name;
    }

    /** With this option of the driver, the database does not tell which rows of a batch it has inserted. */
    @Test
    void mergesReportsOfRewrittenBatches() throws SQLException {
        SOURCE.setReWriteBatchedInserts(true);
        try {
            rowDoesNotDependOnOrderOfReports();
        } finally {
            SOURCE.setReWriteBatchedInserts(false);
        }
    }

    @Test
    void startsWithoutRightToCreateTables() throws SQLException {
        create();
        execute("DROP ROLE IF EXISTS app");
        execute("CREATE ROLE app LOGIN");
        execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        execute("GRANT USAGE ON SCHEMA public TO app");
        execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app");
        try {
            var source = new PGSimpleDataSource();
            source.setUrl(server.url().replace("user=postgres", "user=app"));
            HistoryDatabase.connect(source, PREFIX).prepare(SchemaMode.CREATE);
        } finally {
            execute("DROP OWNED BY app");
        }
    }
}
