package io.ostraka.history.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.mariadb.jdbc.MariaDbDataSource;

/** Counts the rows that MariaDB reads. */
@Tag("cluster")
@Tag("mariadb")
class MariaDbPlansTest extends PlansContract {
    private static MariaDbServer server;
    private static DataSource source;

    @BeforeAll
    static void createRows() throws IOException, SQLException {
        server = MariaDbServer.start();
        try (Connection connection = new MariaDbDataSource(server.url("")).getConnection()) {
            Migrations.execute(connection, "CREATE DATABASE history");
        }
        source = new MariaDbDataSource(server.url("history"));
        createRows(
                source,
                (largest, column) -> "(SELECT seq AS " + column + " FROM seq_0_to_" + largest + ") s_" + column);
        try (Connection connection = source.getConnection()) {
            Migrations.execute(
                    connection,
                    "ANALYZE TABLE ostraka_item_run, ostraka_run, ostraka_skipped, ostraka_event,"
                            + " ostraka_audit, ostraka_rollup");
        }
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    DataSource source() {
        return source;
    }

    @Override
    long rowsRead(String name, FaultySource.Query query) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(query.sql())) {
            PageQuery.bind(statement, query.parameters());
            Migrations.execute(connection, "FLUSH STATUS");
            statement.executeQuery().close();
            try (Statement status = connection.createStatement();
                    ResultSet counters = status.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
                long read = 0;
                while (counters.next()) {
                    read += counters.getLong(2);
                }
                return read;
            }
        }
    }

    @Override
    void requireIndex(FaultySource.Query statement) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement explain = connection.prepareStatement("EXPLAIN " + statement.sql())) {
            PageQuery.bind(explain, statement.parameters());
            try (ResultSet plan = explain.executeQuery()) {
                boolean any = false;
                while (plan.next()) {
                    any = true;
                    String table = plan.getString("table"); // null if an index alone has the answer
                    boolean keys = table != null && table.startsWith("<derived"); // the keys of one step
                    String type = plan.getString("type");
                    assertThat(!keys && "ALL".equals(type)).as(statement.sql()).isFalse();
                    assertThat(String.valueOf(plan.getString("Extra")))
                            .as(statement.sql())
                            .doesNotContain("filesort");
                }
                assertThat(any).isTrue();
            }
        }
    }
}
