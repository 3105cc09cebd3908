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
 * A type of job of one's own: a statement that a database runs, for each item on its share of the rows. How such a job is run
 * is written once, in the executor, which {@code META-INF/services/io.ostraka.api.JobItemExecutor} names; a job of the type
 * is then a value.
 */
public final class OwnTypeExample {
    private OwnTypeExample() {}

    /** A statement with two parameters: how many items there are, and which of them this is. */
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

    /** Makes a table of ten rows and lets three items empty it. */
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
