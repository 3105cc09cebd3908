package io.ostraka.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests the fence with PostgreSQL. */
@Tag("cluster")
@Tag("postgresql")
class PostgreSqlFenceTest extends JdbcFenceContract {
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
    void createTables() throws SQLException {
        try (Connection connection = SOURCE.getConnection()) {
            execute(connection, "DROP SCHEMA IF EXISTS orders CASCADE");
            execute(connection, "DROP SCHEMA public CASCADE");
            execute(connection, "CREATE SCHEMA public");
        }
        super.createTables();
    }

    @Override
    DataSource database() {
        return SOURCE;
    }

    @Override
    String session() {
        return "SELECT pg_backend_pid()";
    }

    @Override
    String waiting(long session) {
        return "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid = " + session;
    }
}
