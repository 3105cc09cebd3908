package io.ostraka.history.jdbc;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

    @Test
    void aDataSourceThatHasNoSecondConnectionIsNamed() {
        var given = new AtomicInteger();
        var single = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (given.incrementAndGet() == 3) { // the first one looks for the tables, and is then closed
                        throw new SQLTransientConnectionException("timed out");
                    }
                    return method.invoke(source, arguments);
                });
        var tables = new HistoryDatabase(single, Dialect.H2, PREFIX);
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> tables.prepare(SchemaMode.CREATE))
                .withMessageContainingAll("two connections", "timed out");
    }

    @Override
    String createSchema(String name) {
        return "CREATE SCHEMA " + name;
    }
}
