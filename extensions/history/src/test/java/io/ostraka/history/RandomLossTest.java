package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobOptions;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.history.Account.Entry;
import io.ostraka.history.Account.State;
import io.ostraka.history.jdbc.Batch;
import io.ostraka.history.jdbc.BatchWriter;
import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import io.ostraka.history.jdbc.WriteResult;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.spool.Position;
import io.ostraka.history.spool.SpooledRow;
import io.ostraka.testkit.TestCluster;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs random jobs in virtual time, loses or reorders random rows of their histories, and compares the accounts with
 * those of all rows.
 */
class RandomLossTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration QUIET = Duration.ofMinutes(1);
    /** Number of seeds of the quick test. */
    private static final int SEEDS = 3;

    private static HistoryDatabase database;

    /** A job, and the rows about it. */
    private static final class Run {
        final Random random;
        final TestCluster cluster;
        final List<Row> rows = new ArrayList<>();
        final List<String> steps = new ArrayList<>();
        Instant begun = START;
        int slow;

        Run(long seed) {
            random = new Random(seed);
            cluster = new TestCluster(1 + random.nextInt(3), START, seed);
            var eventRows = new EventRows(new Texts((job, kind, name, text) -> text));
            cluster.subscribe(new EventSubscriber() {
                @Override
                public void on(Event event) {
                    rows.addAll(eventRows.of(event));
                }
            });
        }

        private int upTo(int most) {
            return 1 + random.nextInt(most);
        }

        private void execute(Command command) {
            steps.add(cluster.now() + " " + command);
            try {
                cluster.operations().execute(command, CommandOptions.by("ann"));
            } catch (OstrakaException e) { // for example, the job does not have the item now
                steps.add("refused: " + e.getMessage());
            }
        }

        private void advance(int mostSeconds) {
            cluster.advance(Duration.ofSeconds(upTo(mostSeconds)));
        }

        private static <T> T one(Random random, List<T> of) {
            return of.get(random.nextInt(of.size()));
        }

        private JobConfiguration job() {
            Duration period = Duration.ofSeconds(3 + upTo(17));
            return JobConfiguration.newBuilder("job", upTo(4))
                    .schedule(one(
                            random,
                            List.of(
                                    Schedule.fixedRate(period),
                                    Schedule.fixedRate(period),
                                    Schedule.cron("0/7 * * * * ?"),
                                    Schedule.fixedDelay(period))))
                    .misfire(one(
                            random, List.of(MisfirePolicy.skip(), MisfirePolicy.fireOnce(), MisfirePolicy.fireAll(3))))
                    .overlap(one(
                            random, List.of(OverlapPolicy.skip(), OverlapPolicy.coalesce(), OverlapPolicy.queue(2))))
                    .misfireThreshold(one(random, List.of(Duration.ofSeconds(2), Duration.ofSeconds(30))))
                    .failover(random.nextBoolean())
                    .history(HistoryLevel.ALL)
                    .build();
        }

        void run() {
            JobConfiguration job = job();
            steps.add(job.shardingTotalCount() + " items, " + job.schedule() + ", " + job.misfire() + ", "
                    + job.overlap() + ", failover " + job.failover() + ", threshold " + job.misfireThreshold());
            cluster.schedule(
                    (SimpleJob) context -> {
                        if (slow > 0 && random.nextInt(3) == 0) {
                            slow--;
                            step();
                            advance(25);
                        }
                    },
                    job,
                    JobOptions.none());
            begun = cluster.now();
            for (int left = 5 + random.nextInt(10); left > 0; left--) {
                step();
                advance(30);
            }
            slow = 0;
            while (living().isEmpty()) {
                cluster.join();
            }
            for (Command end : List.of(new Command.Resume("job", true), new Command.RemoveOverride("job", Set.of()))) {
                if (random.nextBoolean()) {
                    execute(end);
                }
            }
            cluster.advance(QUIET);
        }

        private List<TestCluster.Instance> living() {
            return cluster.instances().stream()
                    .filter(TestCluster.Instance::alive)
                    .toList();
        }

        private void step() {
            switch (living().isEmpty() ? 12 : random.nextInt(14)) {
                case 0 -> execute(new Command.Pause("job", null));
                case 1, 2 -> execute(new Command.Resume("job", random.nextBoolean()));
                case 3 -> execute(new Command.SkipFires("job", cluster.now().plusSeconds(random.nextInt(80) - 40)));
                case 4, 5 -> execute(new Command.SetOverride("job", Map.of("shardingTotalCount", upTo(4)), null));
                case 6 -> execute(new Command.RemoveOverride("job", Set.of()));
                case 7 -> execute(new Command.DisableItem("job", "" + random.nextInt(3)));
                case 8 -> execute(new Command.EnableItem("job", "" + random.nextInt(3)));
                case 9 -> execute(new Command.SetOverride("job", Map.of("failover", random.nextBoolean()), null));
                case 10 -> {
                    steps.add(cluster.now() + " trigger");
                    cluster.trigger("job", Map.of());
                }
                case 11 -> {
                    if (slow == 0) {
                        TestCluster.Instance instance = one(random, living());
                        steps.add(cluster.now() + " leaves or dies: " + instance.id());
                        if (random.nextBoolean()) {
                            instance.kill();
                        } else if (random.nextBoolean()) {
                            instance.close();
                        } else {
                            instance.expireSession();
                        }
                    }
                }
                case 12 -> {
                    steps.add(cluster.now() + " joins");
                    cluster.join();
                }
                default -> slow = upTo(3);
            }
        }

        Account account(String name, List<Row> kept, Instant from, Instant to) throws SQLException {
            List<SpooledRow> spooled = new ArrayList<>();
            for (Row row : kept) {
                spooled.add(new SpooledRow(new Position(1, spooled.size()), row));
            }
            assertThat(new BatchWriter(database, name)
                            .write(new Batch(name, Position.START, new Position(2, 0), spooled)))
                    .isEqualTo(new WriteResult.Written());
            return account(name, from, to);
        }

        Account account(String name, Instant from, Instant to) throws SQLException {
            return new Accounts(database, name, cluster.operations()).account("job", from, to);
        }

        /** Identifies a row of the database. */
        private static String key(Row row) {
            return row instanceof ClaimReport run
                    ? run.item() + " " + run.nonce()
                    : row instanceof Skipped skip
                            ? skip.item() + " " + skip.incarnation() + " " + skip.from() + " " + skip.runId() + " "
                                    + skip.reason()
                            : "";
        }

        /** Returns the keys of some rows to lose. */
        Set<String> lost() {
            List<String> keys = rows.stream()
                    .map(Run::key)
                    .filter(key -> !key.isEmpty())
                    .distinct()
                    .toList();
            Set<String> lost = new HashSet<>();
            int number = random.nextBoolean() ? 1 : 1 + random.nextInt(1 + keys.size() / 4);
            while (!keys.isEmpty() && lost.size() < Math.min(number, keys.size())) {
                lost.add(one(random, keys));
            }
            return lost;
        }

        List<Row> without(Set<String> lost) {
            return rows.stream().filter(row -> !lost.contains(key(row))).toList();
        }
    }

    @BeforeAll
    static void create() throws SQLException {
        var source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        database = HistoryDatabase.connect(source, TablePrefix.DEFAULT);
        database.prepare(SchemaMode.CREATE);
    }

    private static boolean fate(Entry entry) {
        return entry.state() != State.UNKNOWN && entry.state() != State.OPEN;
    }

    /**
     * Returns whether an account shows that the fate of an entry is unknown, or that the item has decided its fires again
     * under a later item count. Run numbers only count the lost runs of triggers, and of fires that ran again.
     */
    private static boolean shows(Account account, Entry entry) {
        return account.entries().stream()
                .filter(each -> each.item().equals(entry.item()))
                .anyMatch(each -> each.state() == State.UNKNOWN
                        ? overlap(each, entry) || (entry.state() != State.SKIPPED && each.count() > 0)
                        : entry.state() == State.SKIPPED
                                && each.incarnation() > entry.incarnation()
                                && overlap(each, entry));
    }

    private static boolean overlap(Entry one, Entry other) {
        return one.from().isBefore(other.to()) && other.from().isBefore(one.to());
    }

    /** Returns whether the row that shows the last cursor of an entry's item is lost, too. */
    private static boolean lostEnd(Set<String> lost, Entry entry) {
        return lost.stream()
                .anyMatch(key -> key.startsWith(entry.item() + " ") && key.endsWith(SkipReason.REMOVED.name()));
    }

    /** Returns the items that exist; the last run of a trigger of another item has left no trace. */
    private static Set<String> existing(Run run) {
        return run.cluster.operations().items("job", Set.of()).stream()
                .map(ItemDetails::item)
                .collect(Collectors.toSet());
    }

    private static void check(long seed, List<String> findings) throws SQLException {
        var run = new Run(seed);
        run.run();
        Instant from = run.random.nextInt(3) > 0 ? START.minusSeconds(60) : START.plusSeconds(run.random.nextInt(300));
        Instant end = run.cluster.now();
        Instant to = run.random.nextInt(3) > 0 ? end : end.minusSeconds(run.random.nextInt(200));
        if (!from.isBefore(to) || !to.isAfter(run.begun)) {
            return;
        }
        Account whole = run.account("whole" + seed, run.rows, from, to);
        if (!whole.complete()) {
            findings.add("seed " + seed + ": not complete although no row is lost: " + whole.refusal() + " "
                    + whole.entries().stream()
                            .filter(entry -> entry.state() == State.UNKNOWN)
                            .toList() + "\n  "
                    + String.join("\n  ", run.steps));
            return;
        }
        List<Row> shuffled = new ArrayList<>(run.rows);
        Collections.shuffle(shuffled, run.random);
        Account other = run.account("shuffled" + seed, shuffled, from, to);
        if (!new HashSet<>(other.entries()).equals(new HashSet<>(whole.entries()))) {
            findings.add("seed " + seed + ": another order of the rows results in another account: "
                    + other.entries().stream()
                            .filter(entry -> !whole.entries().contains(entry))
                            .toList()
                    + "\n  " + String.join("\n  ", run.steps));
            return;
        }
        Set<String> existing = existing(run);
        for (int round = 0; round < 3; round++) {
            Set<String> lost = run.lost();
            Account rest = run.account("rest" + seed + "-" + round, run.without(lost), from, to);
            List<Entry> missing = whole.entries().stream()
                    .filter(RandomLossTest::fate)
                    .filter(entry -> !rest.entries().contains(entry))
                    .filter(entry -> !entry.from().equals(entry.to()) || existing.contains(entry.item()))
                    .filter(entry -> !shows(rest, entry)
                            && (rest.complete() || !lostEnd(lost, entry) && existing.contains(entry.item())))
                    .toList();
            if (!missing.isEmpty()) {
                findings.add("seed " + seed + ": rows " + lost + " are lost, but the account of " + from + " to " + to
                        + (rest.complete() ? " is complete" : " is known there") + " without " + missing + "\n  "
                        + String.join("\n  ", run.steps));
                return;
            }
        }
    }

    private static void check(LongStream seeds) throws SQLException {
        List<String> findings = new ArrayList<>();
        for (long seed : seeds.toArray()) {
            check(seed, findings);
        }
        assertThat(findings).isEmpty();
    }

    @Test
    void aLostRowIsUnknownAndWithoutLossNothingIsUnknown() throws SQLException {
        check(LongStream.range(0, SEEDS));
    }

    @Tag("slow")
    @Test
    void lostRowsOfManyRandomJobsAreUnknown() throws SQLException {
        check(LongStream.range(SEEDS, 200));
    }
}
