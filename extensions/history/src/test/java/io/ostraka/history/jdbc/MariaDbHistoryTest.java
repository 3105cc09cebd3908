package io.ostraka.history.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;

/** Tests the history with MariaDB. */
@Tag("cluster")
@Tag("mariadb")
class MariaDbHistoryTest extends HistoryContract {
    private static MariaDbServer server;
    private static DataSource withoutDatabase;
    private static DataSource source;

    @BeforeAll
    static void startServer() throws IOException, SQLException {
        server = MariaDbServer.start();
        withoutDatabase = new MariaDbDataSource(server.url(""));
        source = new MariaDbDataSource(server.url("history"));
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
        try (Connection connection = withoutDatabase.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE IF EXISTS operations");
            statement.execute("DROP DATABASE IF EXISTS history");
            statement.execute("CREATE DATABASE history");
        }
        super.connect();
    }

    @Override
    DataSource source() {
        return source;
    }

    @Override
    String createSchema(String name) {
        return "CREATE DATABASE " + name;
    }

    /** With these options of the driver, a batch is one message to the server. */
    @Test
    void mergesReportsOfBulkStatements() throws SQLException {
        DataSource usual = source;
        source = new MariaDbDataSource(server.url("history") + "&useBulkStmts=true&useBulkStmtsForInserts=true");
        try {
            connect();
            rowDoesNotDependOnOrderOfReports();
        } finally {
            source = usual;
        }
    }
}
