package io.ostraka.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;

/** Tests the fence with H2. */
class H2FenceTest extends JdbcFenceContract {
    private final JdbcDataSource source = new JdbcDataSource();
    /** Keeps the in-memory database alive while it is open. */
    private final Connection keeper = keeper();

    private Connection keeper() {
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=60000");
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
    DataSource database() {
        return source;
    }

    @Override
    String session() {
        return "SELECT SESSION_ID()";
    }

    @Override
    String waiting(long session) {
        // While an INSERT waits for another one, H2 shows no blocker.
        return "SELECT session_id FROM information_schema.sessions WHERE session_id = " + session
                + " AND (blocker_id IS NOT NULL OR executing_statement LIKE 'INSERT INTO ostraka_fence%')";
    }
}
