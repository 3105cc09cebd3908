package io.ostraka.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.h2.api.Trigger;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests the fence with H2. */
class H2FenceTest extends JdbcFenceContract {
    private static final String SESSION = "SELECT SESSION_ID()";

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

    @BeforeEach
    @Override
    void createTables() throws SQLException {
        super.createTables();
        Inserts.TRIED.clear();
        Inserts.REPEATED.clear();
        execute(
                keeper,
                "CREATE TRIGGER inserts BEFORE INSERT ON ostraka_fence FOR EACH ROW CALL '" + Inserts.class.getName()
                        + "'");
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
        return SESSION;
    }

    /** While an INSERT waits for another one, H2 shows no blocker, but tries the INSERT again and again. */
    @Override
    String waiting(long session) {
        return "SELECT session_id FROM information_schema.sessions WHERE session_id = " + session
                + " AND (blocker_id IS NOT NULL OR " + Inserts.REPEATED.contains(session) + ")";
    }

    /** Finds the sessions that have tried to insert the same row more than once. */
    public static final class Inserts implements Trigger {
        private static final Set<List<Object>> TRIED = ConcurrentHashMap.newKeySet();
        private static final Set<Long> REPEATED = ConcurrentHashMap.newKeySet();

        @Override
        public void fire(Connection connection, Object[] earlier, Object[] row) throws SQLException {
            long session = numbers(connection, SESSION).get(0);
            if (!TRIED.add(List.of(session, row[0], row[1]))) {
                REPEATED.add(session);
            }
        }
    }
}
