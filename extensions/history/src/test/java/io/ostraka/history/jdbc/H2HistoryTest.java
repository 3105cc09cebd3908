package io.ostraka.history.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;

/** Tests the history with H2. */
class H2HistoryTest extends HistoryContract {
    private final JdbcDataSource source = new JdbcDataSource();
    /** Keeps the in-memory database alive while it is open. */
    private final Connection keeper = keeper();

    private Connection keeper() {
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=10000");
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        keeper.close();
    }

    @Override
    DataSource source() {
        return source;
    }

    @Override
    String createSchema(String name) {
        return "CREATE SCHEMA " + name;
    }
}
