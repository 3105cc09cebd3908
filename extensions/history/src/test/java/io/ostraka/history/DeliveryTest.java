package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.Eventually;
import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.spool.SpoolDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of the local disk while the database works. */
class DeliveryTest {
    private static final String NAMESPACE = "orders";
    private static final Row GOOD = row("settle");
    private static final Row REFUSED = row("j".repeat(200));

    @TempDir
    Path directory;

    private final JdbcDataSource database = new JdbcDataSource();
    private SpoolDirectory spools;
    private Delivery delivery;
    private @Nullable Thread thread;

    private static Row row(String job) {
        return new Measurement(job, Instant.parse("2026-11-26T12:00:00Z"), "SUCCEEDED", 1, null);
    }

    @BeforeEach
    void open() throws IOException {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        spools = SpoolDirectory.open(directory, NAMESPACE, 1 << 20);
        delivery = new Delivery(
                spools,
                new Tables(database, TablePrefix.DEFAULT, SchemaMode.CREATE),
                NAMESPACE,
                directory,
                new Cleaning(Retention.DEFAULT, Time.SYSTEM),
                Time.SYSTEM,
                () -> {});
        Files.createDirectory(directory.resolve("rejected.txt"));
    }

    @AfterEach
    void close() throws Exception {
        if (thread != null) {
            delivery.abandon(thread);
            thread.join();
        }
        spools.close();
    }

    private void start() {
        thread = new Thread(delivery);
        thread.start();
    }

    private @Nullable String problem() {
        Instant since = delivery.delayedSince();
        return new Problem(directory)
                .of(
                        new HistoryStatistics(0, 0, 0, 0, since),
                        delivery.failure(),
                        null,
                        Instant.now().plus(Duration.ofMinutes(2)));
    }

    @Test
    void aRefusedRowThatCannotBeKeptHoldsUpNoOther() throws Exception {
        spools.append(List.of(REFUSED));
        spools.append(List.of(GOOD, REFUSED, GOOD));
        start();
        Eventually.holds("delivery", () -> delivery.delivered() == 2);
        assertThat(delivery.rejected()).isEqualTo(2);
        assertThat(delivery.delayedSince()).isNull();
    }

    /** The position of a spool in the database may be damaged, too. */
    @Test
    void aSpoolThatMakesAnyTroubleHoldsUpNoOther() throws Exception {
        String source;
        try (SpoolDirectory dead = SpoolDirectory.open(directory, NAMESPACE, 1 << 20)) {
            dead.append(List.of(GOOD));
            source = dead.own().source();
        }
        HistoryDatabase.connect(database, TablePrefix.DEFAULT).prepare(SchemaMode.CREATE);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO ostraka_spool (source, namespace, segment, byte_offset, updated_at) VALUES ('" + source
                            + "', '" + NAMESPACE + "', 0, 0, 0)");
        }
        spools.append(List.of(GOOD));
        start();
        Eventually.holds("delivery", () -> delivery.delivered() == 1);
        Eventually.holds("delivery", () -> delivery.delayedSince() != null);
        assertThat(problem()).contains("position is 0:0");
    }

    @Test
    void aDamagedFileOfADeadProcessIsALossAndHoldsUpNoOther() throws Exception {
        Path files;
        try (SpoolDirectory dead = SpoolDirectory.open(directory, NAMESPACE, 1 << 20)) {
            dead.append(List.of(GOOD));
            files = directory.resolve(NAMESPACE).resolve(dead.own().source());
        }
        Files.writeString(files.resolve("00000001.log"), "neither a header nor rows");
        Files.createDirectories(files.resolve("00000001.log.damaged/obstacle"));
        spools.append(List.of(GOOD));
        start();
        Eventually.holds("delivery", () -> delivery.delivered() == 1 && spools.lost() == 1);
        assertThat(delivery.delayedSince()).isNull();
    }
}
