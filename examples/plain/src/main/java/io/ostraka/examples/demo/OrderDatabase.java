package io.ostraka.examples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;

/** The database of the demo: H2 in server mode, on the loopback interface only. */
final class OrderDatabase implements AutoCloseable {
    static final String USER = "demo";

    private static final String[] SCHEMA = {
        "CREATE TABLE orders (id BIGINT PRIMARY KEY, item INT NOT NULL, cents INT NOT NULL, settled BOOLEAN NOT NULL)",
        "CREATE INDEX orders_to_settle ON orders (item, settled, id)",
        "CREATE TABLE settlement (entry BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, order_id BIGINT NOT NULL,"
                + " item INT NOT NULL, token BIGINT NOT NULL, cents INT NOT NULL)",
        "CREATE INDEX settlement_of_order ON settlement (order_id)", // not unique: see SettlementStore
        SettlementStore.FENCE.ddl()
    };

    /**
     * Progress of the settlement.
     *
     * @param settled number of settled orders by item
     * @param total number of orders by item
     */
    record Progress(List<Integer> settled, List<Integer> total) {
        int allSettled() {
            return settled.stream().mapToInt(Integer::intValue).sum();
        }

        int left(int item) {
            return total.get(item) - settled.get(item);
        }

        int all() {
            return total.stream().mapToInt(Integer::intValue).sum();
        }
    }

    private final Server server;
    private final DataSource source;
    private final String password;
    /** Connection that keeps the in-memory database alive. */
    private final Connection keeper;

    private OrderDatabase(Server server, DataSource source, String password, Connection keeper) {
        this.server = server;
        this.source = source;
        this.password = password;
        this.keeper = keeper;
    }

    /** Starts the server with an empty database. */
    static OrderDatabase start() throws SQLException {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        String password = UUID.randomUUID().toString();
        DataSource source = source(password);
        Connection keeper = source.getConnection();
        createSchema(source);
        return new OrderDatabase(Server.createTcpServer("-tcpPort", "0").start(), source, password, keeper);
    }

    static void createSchema(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : SCHEMA) {
                statement.execute(sql);
            }
        }
    }

    private static DataSource source(String password) {
        var source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:orders");
        source.setUser(USER);
        source.setPassword(password);
        return source;
    }

    /** Returns the URL at which other processes reach the database. */
    String url() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:orders;LOCK_TIMEOUT=10000";
    }

    String password() {
        return password;
    }

    /** Returns a source of connections for this process. */
    DataSource source() {
        return source;
    }

    /** Inserts orders for all items in one transaction, so that they become visible at the same time. */
    static void seed(DataSource source, int orders) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO orders SELECT x, MOD(x, " + SettleOrders.ITEMS
                    + "), 100 + MOD(x * 7919, 9900), FALSE FROM SYSTEM_RANGE(1, " + orders + ")");
        }
    }

    Progress progress() throws SQLException {
        List<Integer> settled = new ArrayList<>(Collections.nCopies(SettleOrders.ITEMS, 0));
        List<Integer> total = new ArrayList<>(settled);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT item, COUNT(*) FILTER (WHERE settled), COUNT(*) FROM orders GROUP BY item")) {
            while (row.next()) {
                settled.set(row.getInt(1), row.getInt(2));
                total.set(row.getInt(1), row.getInt(3));
            }
        }
        return new Progress(settled, total);
    }

    /** Returns the largest token that an owner of an item has passed to the store; 0 if there is none. */
    long token(int item) throws SQLException {
        return number("SELECT COALESCE(MAX(token), 0) FROM fence WHERE item = '" + item + "'");
    }

    /** Returns the largest {@link Fence#generation} that a run has passed to the store. */
    long generation() throws SQLException {
        return number("SELECT MAX(generation) FROM fence");
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        server.stop();
        keeper.close();
    }
}
