package io.ostraka.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.Schedule;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.event.RunEnded;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The behaviour of the fence with each database. */
@ExtendWith(OstrakaExtension.class)
abstract class JdbcFenceContract {
    private static final String JOB = "settle";

    private final JdbcFence fence = new JdbcFence();
    private final ExecutorService others = Executors.newCachedThreadPool();
    private final List<Connection> open = new ArrayList<>();

    /** Returns the source of connections to a database that is empty before each test. */
    abstract DataSource database();

    /** Returns a query with the identity of the session. */
    abstract String session();

    /** Returns a query with one row if the session with the given identity waits for a lock. */
    abstract String waiting(long session);

    @BeforeEach
    void createTables() throws SQLException {
        try (Connection connection = database().getConnection()) {
            fence.createTable(connection);
            execute(
                    connection,
                    "CREATE TABLE ledger (entry BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item VARCHAR(9),"
                            + " token BIGINT, generation BIGINT)");
        }
    }

    @AfterEach
    void closeConnections() throws SQLException {
        others.shutdownNow();
        for (Connection connection : open) {
            connection.close();
        }
    }

    private Connection begin() throws SQLException {
        Connection connection = database().getConnection();
        open.add(connection);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Runs a test with each isolation level that the fence supports. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    @Retention(RetentionPolicy.RUNTIME)
    @interface EachIsolation {}

    private Connection begin(int isolation) throws SQLException {
        Connection connection = begin();
        connection.setTransactionIsolation(isolation);
        return connection;
    }

    private void check(Connection connection, int item, long token, long generation) throws SQLException {
        assertThat(fence.check(connection, JOB, String.valueOf(item), token, generation))
                .isEqualTo(token);
    }

    /** Writes an entry in a transaction of its own, which begins with the fence. */
    private void write(int item, long token, long generation) throws SQLException {
        try (Connection connection = begin()) {
            check(connection, item, token, generation);
            enter(connection, item, token, generation);
            connection.commit();
        }
    }

    private static void enter(Connection connection, int item, long token, long generation) throws SQLException {
        execute(
                connection,
                "INSERT INTO ledger (item, token, generation) VALUES ('%d', %d, %d)"
                        .formatted(item, token, generation));
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<Long> numbers(String sql) throws SQLException {
        try (Connection connection = database().getConnection()) {
            return numbers(connection, sql);
        }
    }

    static List<Long> numbers(Connection connection, String sql) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                numbers.add(row.getLong(1));
            }
        }
        return numbers;
    }

    private List<Long> ledger() throws SQLException {
        return numbers("SELECT token FROM ledger ORDER BY entry");
    }

    /** Calls an action on another thread, and returns when the connection that it uses waits for a lock. */
    private Future<Void> blocked(Connection connection, Callable<Void> action) throws SQLException {
        long session = numbers(connection, session()).get(0);
        Future<Void> result = others.submit(action);
        try (Connection observer = database().getConnection()) {
            while (numbers(observer, waiting(session)).isEmpty()) {
                assertThat(result)
                        .as("the action, which should wait for a lock")
                        .isNotDone();
                assertThat(Thread.interrupted()).as("end of the time limit").isFalse();
                LockSupport.parkNanos(1_000_000);
            }
        }
        return result;
    }

    private Future<Void> blockedCheck(Connection connection, int item, long token, long generation)
            throws SQLException {
        return blocked(connection, () -> {
            check(connection, item, token, generation);
            return null;
        });
    }

    private static void assertRefused(Future<Void> check) {
        assertThat(check)
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(OwnershipLostException.class);
    }

    private static void assertPasses(Future<Void> check) {
        assertThat(check).succeedsWithin(Duration.ofMinutes(1));
    }

    @Test
    void laterOwnerLocksOutEarlierOne() throws SQLException {
        write(3, 5, 1);
        write(3, 7, 1);

        assertThatExceptionOfType(OwnershipLostException.class)
                .isThrownBy(() -> write(3, 6, 1))
                .withMessage("job 'settle' item 3: the item has a later owner; the token of this run is 6, and"
                        + " ostraka_fence has 7");
        assertThat(ledger()).containsExactly(5L, 7L);
    }

    @Test
    void tokenPassesInEachTransactionOfItsRun() throws SQLException {
        write(3, 5, 1);
        write(3, 5, 1);
        try (Connection connection = begin()) {
            check(connection, 3, 5, 1);
            check(connection, 3, 5, 1);
        }

        assertThat(ledger()).containsExactly(5L, 5L);
    }

    @Test
    void itemsAndJobsHaveTokensOfTheirOwn() throws SQLException {
        write(3, 7, 2);
        write(4, 6, 2);
        try (Connection connection = begin()) {
            assertThat(fence.check(connection, "another-job", "3", 5, 1)).isEqualTo(5);
        }
    }

    @Test
    void rolledBackTransactionLeavesEarlierToken() throws SQLException {
        write(3, 5, 1);
        try (Connection connection = begin()) {
            check(connection, 3, 7, 1);
            connection.rollback();
        }

        write(3, 6, 1);
        assertThat(ledger()).containsExactly(5L, 6L);
    }

    /** The drivers of SQL Server and Oracle have this limit. */
    @Test
    void acceptsDriverThatCannotReleaseSavepoints() throws SQLException {
        Connection connection = begin();
        Class<?>[] type = {Connection.class};
        var limited =
                (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), type, (proxy, method, values) -> {
                    if (method.getName().equals("releaseSavepoint")) {
                        throw new SQLFeatureNotSupportedException(method.getName());
                    }
                    return method.invoke(connection, values);
                });

        check(limited, 3, 5, 1);
    }

    @Test
    void lateWriterWaitsForLockAndIsRefused() throws SQLException {
        write(3, 5, 1);
        Connection later = begin();
        Connection late = begin();
        check(later, 3, 7, 1);
        Future<Void> lateCheck = blockedCheck(late, 3, 6, 1);

        later.commit();

        assertRefused(lateCheck);
    }

    @Test
    void laterOwnerWaitsUntilEarlierTransactionHasEnded() throws SQLException {
        write(3, 5, 1);
        Connection earlier = begin();
        Connection later = begin();
        check(earlier, 3, 5, 1);
        Future<Void> laterCheck = blockedCheck(later, 3, 7, 1);

        earlier.commit();

        assertPasses(laterCheck);
    }

    @Test
    void transactionThatLosesTheRaceForMissingRowStaysUsable() throws SQLException {
        Connection first = begin();
        Connection second = begin();
        enter(second, 3, 0, 0);
        check(first, 3, 5, 1);
        Future<Void> secondCheck = blockedCheck(second, 3, 7, 1);

        first.commit();

        assertPasses(secondCheck);
        enter(second, 3, 7, 1);
        second.commit();
        assertThat(ledger()).containsExactly(0L, 7L);
        assertThatExceptionOfType(OwnershipLostException.class).isThrownBy(() -> write(3, 6, 1));
    }

    @Test
    void lateWriterIsRefusedAfterItLosesTheRaceForMissingRow() throws SQLException {
        Connection later = begin();
        Connection late = begin();
        check(later, 3, 7, 1);
        Future<Void> lateCheck = blockedCheck(late, 3, 6, 1);

        later.commit();

        assertRefused(lateCheck);
    }

    @EachIsolation
    void lateWriterWithOldSnapshotIsRefused(int isolation) throws SQLException {
        for (boolean rowExists : new boolean[] {false, true}) {
            int item = rowExists ? 1 : 2;
            if (rowExists) {
                write(item, 5, 1);
            }
            Connection late = begin(isolation);
            numbers(late, "SELECT token FROM ostraka_fence"); // from REPEATABLE READ on, this takes the snapshot
            write(item, 7, 1);

            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() -> check(late, item, 6, 1))
                    .matches(JdbcFenceContract::isRefusal);
            late.rollback();
        }
    }

    /** Returns whether the fence has refused a run, or the database its transaction. */
    private static boolean isRefusal(Exception e) {
        return e instanceof OwnershipLostException
                || (e instanceof SQLException failure && failure.getSQLState().startsWith("40"));
    }

    /**
     * Transactions of several items, counts and owners run at random. In the ledger, whose order is the order of the
     * writes, the tokens of an item must not fall, and neither must the generations.
     */
    @EachIsolation
    void tokensInTheLedgerNeverFall(int isolation) throws Exception {
        int writers = 4;
        int transactions = 60;
        long seed = Long.getLong("ostraka.seed", new Random().nextLong());
        var together = new CyclicBarrier(writers);
        List<Future<Void>> results = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            var random = new Random(seed + i);
            Connection connection = begin(isolation);
            results.add(others.submit(() -> {
                for (int n = 1; n <= transactions; n++) {
                    together.await();
                    int item = random.nextInt(n / 8 + 1);
                    long generation = n / 10 + random.nextInt(2) + 1;
                    long token = generation * 1_000 + n + random.nextInt(5);
                    try {
                        check(connection, item, token, generation);
                        enter(connection, item, token, generation);
                        connection.commit();
                    } catch (OwnershipLostException | SQLException e) {
                        connection.rollback();
                        assertThat(e).matches(JdbcFenceContract::isRefusal);
                    }
                }
                return null;
            }));
        }
        for (Future<Void> result : results) {
            assertThat(result).as("seed %d", seed).succeedsWithin(Duration.ofMinutes(1));
        }

        assertThat(ledger()).hasSizeGreaterThan(transactions);
        assertThat(numbers("SELECT generation FROM ledger ORDER BY entry"))
                .as("seed %d", seed)
                .isSorted();
        for (long item : numbers("SELECT DISTINCT CAST(item AS BIGINT) FROM ledger")) {
            List<Long> tokens = numbers("SELECT token FROM ledger WHERE item = '" + item + "' ORDER BY entry");
            assertThat(tokens).as("item %d, seed %d", item, seed).isSorted();
            assertThat(numbers("SELECT token FROM ostraka_fence WHERE item = '" + item + "'"))
                    .containsExactly(tokens.get(tokens.size() - 1));
        }
    }

    /** The row of such an item is invisible to a transaction that reads from an earlier snapshot. */
    @EachIsolation
    void changeOfTheItemCountMissesNoItemThatHasJustBegun(int isolation) throws SQLException {
        write(1, 5, 1);
        try (Connection later = begin(isolation)) {
            numbers(later, "SELECT token FROM ledger"); // takes the snapshot
            write(2, 6, 1);
            try {
                check(later, 1, 7, 2);
                later.commit();
            } catch (SQLException e) {
                assertThat(isRefusal(e)).as(e.toString()).isTrue();
                later.rollback();
                return;
            }
        }
        assertThatExceptionOfType(OwnershipLostException.class).isThrownBy(() -> write(2, 6, 1));
    }

    @Test
    void runsOfDifferentItemsDoNotWaitForEachOther() throws SQLException {
        write(1, 5, 1);
        write(2, 6, 1);
        Connection first = begin();
        Connection second = begin();

        check(first, 1, 7, 1);
        check(second, 2, 8, 1); // a lock of the first transaction, which this thread has not ended, would block it

        second.commit();
        first.commit();
    }

    @Test
    void changeOfTheItemCountLocksOutItemsThatNoLongerExist() throws SQLException {
        write(0, 5, 1);
        write(5, 6, 1);

        write(0, 9, 2);

        assertThatExceptionOfType(OwnershipLostException.class)
                .isThrownBy(() -> write(5, 6, 1))
                .withMessage("job 'settle' item 5: the item count has changed since this run began; its generation"
                        + " token is 1, and ostraka_fence has 2");
        assertThatExceptionOfType(OwnershipLostException.class)
                .as("an item whose runs have not sent a token before")
                .isThrownBy(() -> write(6, 6, 1));
        assertThat(ledger()).containsExactly(5L, 6L, 9L);
    }

    @Test
    void itemsDoNotWaitForEachOtherAfterChangeOfTheItemCount() throws SQLException {
        write(1, 5, 1);
        write(2, 6, 1);
        write(1, 7, 2);
        Connection first = begin();
        Connection second = begin();

        check(first, 1, 7, 2);
        check(second, 2, 8, 2); // a lock of the first transaction, which this thread has not ended, would block it

        second.commit();
        first.commit();
    }

    @Test
    void newItemCountWaitsForTransactionsOfTheOldOne() throws SQLException {
        write(0, 5, 1);
        write(5, 6, 1);
        Connection old = begin();
        Connection present = begin();
        check(old, 5, 6, 1);
        Future<Void> presentCheck = blockedCheck(present, 0, 9, 2);

        old.commit();

        assertPasses(presentCheck);
    }

    @Test
    void lateWriterWithoutRowWaitsForTheNewItemCountAndIsRefused() throws SQLException {
        write(0, 5, 1);
        Connection present = begin();
        Connection late = begin();
        check(present, 0, 9, 2);
        Future<Void> lateCheck = blockedCheck(late, 5, 6, 1);

        present.commit();

        assertRefused(lateCheck);
    }

    @Test
    void refusesConnectionInAutoCommitMode() throws SQLException {
        try (Connection connection = database().getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> check(connection, 3, 5, 1))
                    .withMessageContaining("job 'settle' item 3: the connection is in auto-commit mode")
                    .withMessageContaining("setAutoCommit(false)");
        }
        assertThat(numbers("SELECT COUNT(*) FROM ostraka_fence")).containsExactly(0L);
    }

    @Test
    void tableMayBeInAnotherSchema() throws SQLException {
        var apart = new JdbcFence("Orders.fence_2");
        try (Connection connection = begin()) {
            execute(connection, "CREATE SCHEMA orders");
            apart.createTable(connection);
            apart.createTable(connection);
            apart.check(connection, JOB, "3", 5, 1);
            connection.commit();
        }

        assertThat(numbers("SELECT token FROM orders.fence_2 WHERE item = '3'")).containsExactly(5L);
        write(3, 4, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "missing.fence"})
    void messageAboutMissingTableContainsTheStatementThatCreatesIt(String table) throws SQLException {
        var missing = new JdbcFence(table);
        try (Connection connection = begin()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> missing.check(connection, JOB, "3", 5, 1))
                    .withMessageContaining("the table of the fence, " + table)
                    .withMessageContaining(missing.ddl())
                    .withCauseInstanceOf(SQLException.class);
        }
    }

    @Test
    void processesCreateTheTableAtTheSameTime() throws Exception {
        int processes = 4;
        var together = new CyclicBarrier(processes);
        for (int round = 0; round < 10; round++) {
            var contested = new JdbcFence("fence_" + round);
            List<Future<Void>> results = new ArrayList<>();
            for (int i = 0; i < processes; i++) {
                results.add(others.submit(() -> {
                    try (Connection connection = database().getConnection()) {
                        together.await();
                        contested.createTable(connection);
                    }
                    return null;
                }));
            }
            results.forEach(JdbcFenceContract::assertPasses);
        }
    }

    /** The first run is stalled until another instance has run the fire. Then it tries to write. */
    @Test
    void refusedRunDoesNotCountAsSuccessOrFailure(TestCluster cluster) throws SQLException {
        List<ItemOutcome> outcomes = new ArrayList<>();
        cluster.subscribe(event -> {
            if (event instanceof RunEnded ended) {
                outcomes.add(ended.outcome());
            }
        });
        List<Long> refused = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (context.attempt() == 1) {
                        TestCluster.Instance own = cluster.instance(context.instanceId());
                        own.setWedged(true);
                        own.store().suspend();
                        cluster.tree().expire(own.store().session());
                        cluster.advance(TestCluster.SESSION_TIMEOUT.multipliedBy(4));
                    }
                    try (Connection connection = begin()) {
                        long token = fence.check(connection, context);
                        enter(connection, context.shardingItem(), token, context.generationToken());
                        connection.commit();
                    } catch (OwnershipLostException e) {
                        refused.add(context.fencingToken());
                        throw e;
                    }
                },
                JobConfiguration.newBuilder(JOB, 1)
                        .sessionLoss(SessionLossPolicy.KEEP_RUNNING)
                        .build());
        cluster.trigger(JOB, Map.of());
        cluster.instances().forEach(instance -> instance.setWedged(false));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(outcomes).containsExactly(ItemOutcome.SUCCEEDED, ItemOutcome.INTERRUPTED);
        assertThat(refused).hasSize(1);
        assertThat(ledger()).hasSize(1).allMatch(token -> token > refused.get(0));
    }

    @Test
    void jdbcTemplateChecksInTheTransactionOfTheThread(TestCluster cluster) throws SQLException {
        var jdbc = new JdbcTemplate(database());
        var transaction = new TransactionTemplate(new DataSourceTransactionManager(database()));
        List<ShardingContext> runs = new ArrayList<>();
        cluster.schedule(
                context -> transaction.executeWithoutResult(status -> {
                    runs.add(context);
                    Long token = jdbc.execute((Connection connection) -> fence.check(connection, context));
                    jdbc.update("INSERT INTO ledger (item, token) VALUES (?, ?)", context.itemKey(), token);
                    if (runs.size() == 2) {
                        status.setRollbackOnly();
                    }
                }),
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
                        .build());
        cluster.advance(Duration.ofSeconds(30));

        List<Long> tokens =
                runs.stream().map(ShardingContext::fencingToken).collect(Collectors.toCollection(ArrayList::new));
        assertThat(tokens).hasSizeGreaterThan(2);
        tokens.remove(1); // of the transaction that was rolled back
        assertThat(ledger()).isEqualTo(tokens);
        ConnectionCallback<Long> late = connection -> fence.check(connection, runs.get(0));
        assertThatExceptionOfType(OwnershipLostException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> jdbc.execute(late)))
                .withMessageContaining("the token of this run is " + tokens.get(0));
        assertThatIllegalStateException().as("outside of a transaction").isThrownBy(() -> jdbc.execute(late));
    }
}
