package io.ostraka.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.jdbc.JdbcFence;
import io.ostraka.lite.JobHandle;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The main job of this library, on a real ZooKeeper server: three instances share the items of a fire. The process of
 * one is killed; another loses its session, and writes when a survivor has already run its items. Each item is settled
 * once.
 */
@Tag("proof")
class SurvivorTakesOverTest {
    static final String NAMESPACE = "proof";
    static final JobConfiguration SETTLE =
            JobConfiguration.newBuilder("settle", 6).build();

    private static final String HOLD = "hold";
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final JdbcDataSource database = new JdbcDataSource();
    private final JdbcFence fence = new JdbcFence();
    private final Started ofLate = new Started();
    private final Started ofKilled = new Started();
    /** Each late item with what became of its write. */
    private final BlockingQueue<String> lateWrites = new LinkedBlockingQueue<>();

    private final CountDownLatch wakesUp = new CountDownLatch(1);

    /** The items that an instance has started, each with the run to which it belongs. */
    private static final class Started {
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

        void add(String runAndItem) {
            lines.add(runAndItem);
        }

        /** Waits for two items of a run, and returns them. Lines of earlier runs may come late. */
        Set<String> two(JobRun run) throws InterruptedException {
            Set<String> items = new TreeSet<>();
            while (items.size() < 2) {
                String line = lines.take();
                if (line.startsWith(run.runId() + " ")) {
                    items.add(line.substring(line.indexOf(' ') + 1));
                }
            }
            return items;
        }

        boolean contains(JobRun run) {
            return lines.stream()
                            .filter(line -> line.startsWith(run.runId() + " "))
                            .count()
                    == 2;
        }
    }

    /** Returns what an instance reports when it starts an item. */
    static String line(ShardingContext context) {
        return context.runId() + " " + context.itemKey();
    }

    /** Returns whether a run should stand still: the first attempt of each item of the held fire. */
    static boolean holds(ShardingContext context) {
        return context.triggerParameters().containsKey(HOLD) && context.attempt() == 1;
    }

    @Test
    @Timeout(240)
    void eachItemIsSettledOnceAlthoughOneOwnerIsKilledAndOneWritesLate(@TempDir Path directory) throws Exception {
        database.setUrl("jdbc:h2:mem:proof;DB_CLOSE_DELAY=-1");
        createTables();
        try (var server = EmbeddedZooKeeper.start(directory, 0);
                var proxy = new ZooKeeperProxy(server.port());
                var survivor = ZooKeeperRegistry.connect(server.connectString(), NAMESPACE);
                var sleeper = ZooKeeperRegistry.connect(proxy.connectString(), NAMESPACE)) {
            try (RunningProgram killed = start(server.connectString())) {
                JobHandle settle = survivor.oneOff((SimpleJob) this::settle, SETTLE);
                sleeper.oneOff(lateJob(), SETTLE);
                runUntilAllThreeTakePart(settle, killed);

                JobRun run = settle.trigger(Map.of(HOLD, "yes"));
                Set<String> late = ofLate.two(run);
                Set<String> interrupted = ofKilled.two(run);
                killed.kill();
                proxy.session().end();

                assertThat(run.await(LIMIT)).hasSize(6).allSatisfy((item, outcome) -> assertThat(outcome)
                        .isEqualTo(ItemOutcome.SUCCEEDED));
                Map<String, List<Integer>> before = settledBy(run);
                wakesUp.countDown();
                assertThat(List.of(lateWrites.take(), lateWrites.take()))
                        .containsExactlyInAnyOrderElementsOf(
                                late.stream().map(item -> item + " refused").toList());
                assertThat(before.keySet()).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5");
                before.forEach((item, attempts) -> assertThat(attempts)
                        .as("attempts that settled item %s; late: %s, killed: %s", item, late, interrupted)
                        .containsExactly(late.contains(item) || interrupted.contains(item) ? 2 : 1));
                assertThat(settledBy(run)).isEqualTo(before);
            } finally {
                wakesUp.countDown();
            }
        }
    }

    /** Triggers fires until the plan gives each of the three instances two items. */
    private void runUntilAllThreeTakePart(JobHandle settle, RunningProgram worker) throws InterruptedException {
        JobRun run;
        do {
            assertThat(worker.isAlive()).as("the worker process runs").isTrue();
            run = settle.trigger();
            run.await(LIMIT);
        } while (!ofLate.contains(run) || !ofKilled.contains(run));
    }

    private RunningProgram start(String servers) throws IOException {
        return Program.java(BlockingWorker.class)
                .jvm("-Xmx96m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
                .arguments(servers)
                .start(ofKilled::add);
    }

    private SimpleJob lateJob() {
        return context -> {
            ofLate.add(line(context));
            if (holds(context)) {
                awaitWakeUp();
                try {
                    settle(context);
                    lateWrites.add(context.itemKey() + " written");
                } catch (OwnershipLostException e) {
                    lateWrites.add(context.itemKey() + " refused");
                    throw e;
                } catch (SQLException | RuntimeException e) {
                    lateWrites.add(context.itemKey() + " failed: " + e);
                    throw e;
                }
            } else {
                settle(context);
            }
        };
    }

    /** Waits like a process that stands still: it does not notice that the engine interrupts the run. */
    private void awaitWakeUp() {
        while (true) {
            try {
                wakesUp.await();
                return;
            } catch (InterruptedException e) {
                // continues to wait
            }
        }
    }

    private void settle(ShardingContext context) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            fence.check(connection, context);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO settled (run, item, attempt) VALUES (?, ?, ?)")) {
                insert.setString(1, context.runId());
                insert.setString(2, context.itemKey());
                insert.setInt(3, context.attempt());
                insert.executeUpdate();
            }
            connection.commit();
        }
    }

    private void createTables() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            fence.createTable(connection);
            statement.execute("CREATE TABLE settled (run VARCHAR(200), item VARCHAR(20), attempt INT)");
        }
    }

    /** Returns the attempts that have settled the items of a run, by item. */
    private Map<String, List<Integer>> settledBy(JobRun run) throws SQLException {
        Map<String, List<Integer>> settled = new HashMap<>();
        try (Connection connection = database.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT item, attempt FROM settled WHERE run = ?")) {
            select.setString(1, run.runId());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    settled.computeIfAbsent(rows.getString(1), item -> new ArrayList<>())
                            .add(rows.getInt(2));
                }
            }
        }
        return settled;
    }
}
