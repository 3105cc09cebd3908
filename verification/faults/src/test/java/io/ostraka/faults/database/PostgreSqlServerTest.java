package io.ostraka.faults.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("cluster")
@Tag("postgresql")
class PostgreSqlServerTest {
    private static final int LIMIT_SECONDS = 60;

    private static PostgreSqlServer server;

    @BeforeAll
    static void startServer() throws IOException {
        assumeTrue(PostgreSqlServer.isInstalled(), PostgreSqlServer.NOT_INSTALLED);
        server = PostgreSqlServer.startOnSmallDisk(250);
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void createTable() throws SQLException {
        execute("DROP TABLE IF EXISTS orders");
        execute("CREATE TABLE orders (id BIGINT, note TEXT)");
    }

    @Test
    void keepsItsDataAcrossAKill() throws Exception {
        execute("INSERT INTO orders VALUES (1, 'first')");

        server.kill();

        assertThatThrownBy(PostgreSqlServerTest::orders).isInstanceOf(SQLException.class);
        server.restart();
        assertThat(orders()).isEqualTo(1);
    }

    @Test
    void doesNotAnswerWhileItIsFrozen() throws Exception {
        server.freeze();

        assertThatThrownBy(() -> orders(2)).isInstanceOf(SQLException.class);
        server.thaw();
        assertThat(orders()).isZero();
    }

    @Test
    void canBeKilledWhileItIsFrozen() throws Exception {
        server.freeze();
        server.kill();
        server.restart();

        assertThat(orders()).isZero();
    }

    @Test
    void refusesRowsWhileItsDiskIsFull() throws Exception {
        assumeTrue(server.isDiskSmall(), "this process may not mount a file system");
        String rows = "INSERT INTO orders SELECT n, repeat('x', 1000) FROM generate_series(1, 100000) n";

        server.fill();

        assertThatThrownBy(() -> execute(rows)).isInstanceOf(SQLException.class);
        server.free();
        execute("INSERT INTO orders VALUES (1, 'first')");
        assertThat(orders()).isEqualTo(1);
    }

    private static long orders() throws SQLException {
        return orders(LIMIT_SECONDS);
    }

    private static long orders(int limitSeconds) throws SQLException {
        try (Connection connection = connect(limitSeconds);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM orders")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = connect(LIMIT_SECONDS);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Connection connect(int limitSeconds) throws SQLException {
        return DriverManager.getConnection(
                server.url() + "&connectTimeout=" + limitSeconds + "&socketTimeout=" + limitSeconds);
    }
}
