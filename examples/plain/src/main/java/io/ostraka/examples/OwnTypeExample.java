package io.ostraka.examples;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ShardingContext;
import io.ostraka.lite.ZooKeeperRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * An application's own job type: a database statement that each item runs on its share of the rows. The executor
 * contains the code to run such a job; {@code META-INF/services/io.ostraka.api.JobItemExecutor} names it. A job of this
 * type is just a value.
 */
public final class OwnTypeExample {
    private OwnTypeExample() {}

    /** A statement with two parameters: the number of items and the number of the present item. */
    private record Statement(String database, String sql) implements Job {}

    /** Runs statements. */
    public static final class StatementExecutor implements JobItemExecutor<Statement> {
        @Override
        public Class<Statement> type() {
            return Statement.class;
        }

        @Override
        public void validate(Statement job, JobConfiguration configuration) {
            if (!job.sql.contains("MOD(id, ?) = ?")) {
                throw new JobConfigurationException(
                        configuration.jobName(), "sql", job.sql, "a statement with MOD(id, ?) = ?");
            }
        }

        @Override
        public void execute(Statement job, ShardingContext context) throws SQLException {
            try (Connection connection = DriverManager.getConnection(job.database);
                    PreparedStatement statement = connection.prepareStatement(job.sql)) {
                statement.setInt(1, context.shardingTotalCount());
                statement.setInt(2, context.shardingItem());
                System.out.printf("item %d: %d rows%n", context.shardingItem(), statement.executeUpdate());
            }
        }
    }

    /** Creates a table with ten rows and lets three items delete them. */
    public static void main(String[] args) throws Exception {
        String database = "jdbc:h2:mem:sessions;DB_CLOSE_DELAY=-1";
        try (Connection connection = DriverManager.getConnection(database)) {
            connection.createStatement().execute("CREATE TABLE session AS SELECT x AS id FROM SYSTEM_RANGE(1, 10)");
        }
        var expire = new Statement(database, "DELETE FROM session WHERE MOD(id, ?) = ?");
        var configuration = JobConfiguration.newBuilder("expire-sessions", 3).build();

        try (var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path())) {
            var job = registry.oneOff(expire, configuration);
            System.out.println("outcomes by item: " + job.trigger().await(Duration.ofSeconds(30)));
        }
    }
}
