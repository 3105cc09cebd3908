package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.jdbc.JdbcFence;
import io.ostraka.lite.ZooKeeperRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Shows how a run uses its fencing token: it passes the token to the store in the transaction that makes the change,
 * before the change itself. If a process was paused while another instance took over its item, its late write can then
 * do no harm.
 */
public final class FenceFirstExample {
    private static final String URL = "jdbc:h2:mem:fence-first";
    private static final JdbcFence FENCE = new JdbcFence();

    private FenceFirstExample() {}

    /** The first step of a transaction, which checks the token. */
    private interface Check {
        long in(Connection connection) throws SQLException;
    }

    /** Writes a balance, unless the database has seen a later owner of the item. */
    private static void write(int balance, Check check) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL)) {
            connection.setAutoCommit(false); // closing without a commit rolls back
            long token = check.in(connection);
            update(connection, "UPDATE account SET balance = " + balance);
            connection.commit();
            System.out.printf("balance %d: written with token %d%n", balance, token);
        } catch (OwnershipLostException e) {
            System.out.printf("balance %d: REFUSED, %s%n", balance, e.getMessage());
        }
    }

    /** Runs an item twice. Then the first run wakes up late and writes with its old token. */
    public static void main(String[] args) throws Exception {
        try (var store = DriverManager.getConnection(URL);
                var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path())) {
            FENCE.createTable(store);
            update(store, "CREATE TABLE account (balance INT)");
            update(store, "INSERT INTO account VALUES (0)");

            var runs = new CopyOnWriteArrayList<ShardingContext>();
            SimpleJob book = context -> {
                runs.add(context);
                int balance = Integer.parseInt(context.triggerParameters().getOrDefault("balance", "0"));
                write(balance, connection -> FENCE.check(connection, context));
            };
            var configuration = JobConfiguration.newBuilder("book", 1).build();
            try (var job = registry.oneOff(book, configuration)) {
                job.trigger(Map.of("balance", "100")).await(Duration.ofSeconds(30));
                job.trigger(Map.of("balance", "200")).await(Duration.ofSeconds(30));
            }
            write(100, connection -> FENCE.check(connection, runs.get(0)));
        }
    }

    private static void update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
