package io.ostraka.history.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ostraka.history.spool.Position;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The migrations with each database. */
abstract class SchemaContract {
    static final TablePrefix PREFIX = TablePrefix.DEFAULT;

    HistoryDatabase database;

    /** Returns the source of connections to a database that is empty before each test. */
    abstract DataSource source();

    /** Creates a schema with a name, or what the database has in its place. */
    abstract String createSchema(String name);

    @BeforeEach
    void connect() throws SQLException {
        database = HistoryDatabase.connect(source(), PREFIX);
    }

    @Test
    void tenMigratorsMigrateOnce() throws Exception {
        together(10, i -> () -> {
            HistoryDatabase.connect(source(), PREFIX).prepare(SchemaMode.CREATE);
            return null;
        });
        assertThat(numbers("SELECT version_no FROM ostraka_schema_version")).containsExactly((long) Migrations.VERSION);
        database.prepare(SchemaMode.VALIDATE);
        database.prepare(SchemaMode.CREATE);
        assertThat(numbers("SELECT COUNT(*) FROM ostraka_schema_version")).containsExactly(1L);
    }

    @Test
    void validationNamesMissingTables() throws SQLException {
        assertThatExceptionOfType(HistorySchemaException.class)
                .isThrownBy(() -> database.prepare(SchemaMode.VALIDATE))
                .withMessageContainingAll(
                        "ostraka_schema_version", "ostraka_item_run", "ostraka_rollup", "ostraka_spool", "CREATE");
        database.prepare(SchemaMode.NONE);
        assertThatExceptionOfType(HistorySchemaException.class).isThrownBy(() -> database.prepare(SchemaMode.VALIDATE));
    }

    @Test
    void validationNamesMissingColumnsAndMigrations() throws SQLException {
        database.prepare(SchemaMode.CREATE);
        execute("ALTER TABLE ostraka_audit DROP COLUMN origin");
        execute("DROP TABLE ostraka_spool");
        execute("DELETE FROM ostraka_schema_version");
        assertThatExceptionOfType(HistorySchemaException.class)
                .isThrownBy(() -> database.prepare(SchemaMode.VALIDATE))
                .withMessageContainingAll("ostraka_audit.origin", "table ostraka_spool", "migration 1")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("item_run"));
    }

    @Test
    void refusesChangedMigration() throws SQLException {
        database.prepare(SchemaMode.CREATE);
        execute("UPDATE ostraka_schema_version SET checksum = 'changed'");
        for (SchemaMode mode : List.of(SchemaMode.CREATE, SchemaMode.VALIDATE)) {
            assertThatExceptionOfType(HistorySchemaException.class)
                    .isThrownBy(() -> database.prepare(mode))
                    .withMessageContainingAll("migration 1", "checksum changed");
        }
        database.prepare(SchemaMode.NONE);
    }

    @Test
    void refusesTablesOfNewerLibrary() throws SQLException {
        database.prepare(SchemaMode.CREATE);
        execute("INSERT INTO ostraka_schema_version (version_no, checksum, migrated_at) VALUES (99, 'x', 0)");
        for (SchemaMode mode : List.of(SchemaMode.CREATE, SchemaMode.VALIDATE)) {
            assertThatExceptionOfType(HistorySchemaException.class)
                    .isThrownBy(() -> database.prepare(mode))
                    .withMessageContainingAll("version 99", "newer library");
        }
    }

    @Test
    void acceptsTablesThatAnotherToolCreated() throws SQLException {
        String ddl = Migrations.ddl(database.dialect(), PREFIX);
        for (String each : new Script(ddl).statements(PREFIX)) {
            execute(each);
        }
        database.prepare(SchemaMode.VALIDATE);
        database.prepare(SchemaMode.CREATE);
    }

    @Test
    void continuesInterruptedCreation() throws SQLException {
        for (String each : Script.load(database.dialect()).statements(PREFIX).subList(0, 3)) {
            execute(each);
        }
        database.prepare(SchemaMode.CREATE);
        database.prepare(SchemaMode.VALIDATE);
    }

    /** On PostgreSQL, the creation is one transaction. With the others, each of its statements is a transaction. */
    @Test
    void continuesACreationThatWasNotRecorded() throws SQLException {
        for (String each : Script.load(database.dialect()).statements(PREFIX)) {
            execute(each);
        }
        database.prepare(SchemaMode.CREATE);
        database.prepare(SchemaMode.VALIDATE);
    }

    @Test
    void createsTablesInSchema() throws SQLException {
        execute(createSchema("operations"));
        var other = new HistoryDatabase(source(), database.dialect(), new TablePrefix("operations.h_"));
        other.prepare(SchemaMode.CREATE);
        other.prepare(SchemaMode.VALIDATE);
        assertThat(numbers("SELECT COUNT(*) FROM operations.h_item_run")).containsExactly(0L);

        Batch batch = WriterContract.batch("spool", Position.START, List.of(Samples.owner("job", "0", 1)));
        assertThat(new BatchWriter(other, "orders").write(batch)).isEqualTo(new WriteResult.Written());
        var steps = new RetentionSteps(other, "orders");
        assertThat(steps.succeededRuns(Instant.parse("2100-01-01T00:00:00Z"))).isEqualTo(1);
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    List<Long> numbers(String sql) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }

    /** A task for each thread. */
    interface Tasks<T> {
        Callable<T> task(int thread);
    }

    /** Runs tasks in threads that begin at the same time, and returns their results. */
    static <T> List<T> together(int threads, Tasks<T> tasks) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            var begin = new CyclicBarrier(threads);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Callable<T> task = tasks.task(i);
                futures.add(executor.submit(() -> {
                    begin.await();
                    return task.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : futures) {
                results.add(each.get());
            }
            return results;
        } finally {
            executor.shutdownNow();
        }
    }
}
