package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Fence first: the run passes its token to the store in the same transaction as the effect. If a process was paused
 * while another instance took over its item, it can then do no harm when it wakes up.
 */
public final class FenceFirstExample {
    private static final String URL = "jdbc:h2:mem:fence-first";

    private FenceFirstExample() {}

    /** Writes a balance unless the store has seen a later owner of the item. */
    private static void write(String job, int item, long token, int balance) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL)) {
            connection.setAutoCommit(false);
            int fenced = update(
                    connection,
                    "UPDATE fence SET token = ? WHERE job = ? AND item = ? AND token <= ?",
                    token,
                    job,
                    item,
                    token);
            if (fenced == 1) {
                update(connection, "UPDATE account SET balance = ? WHERE item = ?", balance, item);
                connection.commit();
            }
            System.out.printf("token %d, balance %d: %s%n", token, balance, fenced == 1 ? "written" : "REFUSED");
        }
    }

    /** Runs an item twice. Then the first run wakes up late and writes with its old token. */
    public static void main(String[] args) throws Exception {
        try (var store = DriverManager.getConnection(URL);
                var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path())) {
            update(store, "CREATE TABLE fence (job VARCHAR, item INT, token BIGINT, PRIMARY KEY (job, item))");
            update(store, "CREATE TABLE account (item INT PRIMARY KEY, balance INT)");
            update(store, "INSERT INTO fence VALUES ('book', 0, 0)");
            update(store, "INSERT INTO account VALUES (0, 0)");

            var oldToken = new AtomicLong();
            SimpleJob book = context -> {
                oldToken.compareAndSet(0, context.fencingToken());
                int balance = Integer.parseInt(context.triggerParameters().getOrDefault("balance", "0"));
                write(context.jobName(), context.shardingItem(), context.fencingToken(), balance);
            };
            var configuration = JobConfiguration.newBuilder("book", 1).build();
            try (var job = registry.oneOff(book, configuration)) {
                job.trigger(Map.of("balance", "100")).await(Duration.ofSeconds(30));
                job.trigger(Map.of("balance", "200")).await(Duration.ofSeconds(30));
            }
            write("book", 0, oldToken.get(), 100);
        }
    }

    private static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
