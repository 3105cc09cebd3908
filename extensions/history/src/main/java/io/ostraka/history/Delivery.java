package io.ostraka.history;

import io.ostraka.history.jdbc.Batch;
import io.ostraka.history.jdbc.BatchWriter;
import io.ostraka.history.jdbc.HistorySchemaException;
import io.ostraka.history.jdbc.WriteResult;
import io.ostraka.history.spool.Position;
import io.ostraka.history.spool.Spool;
import io.ostraka.history.spool.SpoolDirectory;
import io.ostraka.history.spool.SpooledRow;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves rows from the spools into the database, on a thread of its own, and then deletes old rows. */
final class Delivery implements Runnable {
    /** Largest number of rows in one transaction. */
    static final int BATCH = 500;

    private static final Logger log = LoggerFactory.getLogger(Delivery.class);
    /** Pause after all rows were delivered. Rows that arrive during the pause share a transaction. */
    private static final Duration PAUSE = Duration.ofMillis(500);
    /** Longest pause after a failure. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** Time after which the database counts as unavailable if it has not answered. */
    private static final Duration SILENCE = Duration.ofSeconds(30);
    /** Interval at which this process looks for the spools of dead processes. */
    private static final Duration ADOPTION = Duration.ofSeconds(10);

    private final SpoolDirectory spools;
    private final Tables tables;
    private final String namespace;
    private final RejectedRows rejectedRows;
    private final Cleaning cleaning;
    private final Time time;
    private final Runnable afterRound;
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile boolean abandoned;
    /** Positions of the spools. A spool that this process has left and adopted again is another object. */
    private final Map<Spool, Position> positions = new HashMap<>();
    /** Position of the latest unreadable part that was reported, by spool. */
    private final Map<String, Position> unreadableAt = new HashMap<>();
    /** Position of the latest row that was reported as refused by the database, by spool. */
    private final Map<String, Position> refusedAt = new HashMap<>();

    private final Set<String> unreadable = new HashSet<>();
    private final AtomicLong delivered = new AtomicLong();

    private long lookedAt;
    private int failures;
    private volatile @Nullable Instant delayedSince;
    private volatile Instant answered;
    private volatile @Nullable String failure;

    /**
     * @param rejected directory for rows that the database refuses
     * @param afterRound called on the delivery's thread after each round
     */
    Delivery(
            SpoolDirectory spools,
            Tables tables,
            String namespace,
            Path rejected,
            Cleaning cleaning,
            Time time,
            Runnable afterRound) {
        this.spools = spools;
        this.tables = tables;
        this.namespace = namespace;
        this.rejectedRows = new RejectedRows(rejected, time.wall());
        this.cleaning = cleaning;
        this.time = time;
        this.afterRound = afterRound;
        this.answered = time.now();
        this.lookedAt = time.nanoTime() - ADOPTION.toNanos();
    }

    /** Ends the thread after it has tried once more to deliver all rows. */
    void close() {
        closing.countDown();
    }

    /** Ends the thread after its present batch. The remaining rows stay in the spools. */
    void abandon(Thread thread) {
        abandoned = true;
        thread.interrupt();
    }

    long delivered() {
        return delivered.get();
    }

    long rejected() {
        return rejectedRows.count();
    }

    /** Returns the time since which the delivery fails or the database does not answer; null if the delivery works. */
    @Nullable Instant delayedSince() {
        Instant refused = delayedSince;
        Instant last = answered;
        return refused != null || !last.isBefore(time.now().minus(SILENCE)) ? refused : last;
    }

    /** Returns why rows wait, as a clause. Only valid if {@link #delayedSince} returns a time. */
    String failure() {
        String known = failure;
        return known == null ? "the database does not answer" : known;
    }

    @Override
    public void run() {
        boolean closes = false;
        boolean more = true;
        while (!abandoned && (more || !closes)) {
            closes = !more && pause();
            more = !abandoned && round();
            afterRound.run();
        }
    }

    /** Waits before the next round. Returns whether the delivery is closing. */
    private boolean pause() {
        Duration pause = PAUSE;
        if (failures > 0) {
            long longest = Math.min(LONGEST_PAUSE.toMillis(), 1_000L << Math.min(failures - 1, 5));
            pause = Duration.ofMillis(longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1));
        }
        try {
            return closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) { // the close does not wait any longer
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Delivers waiting rows. Returns true if more rows wait and can be delivered. */
    private boolean round() {
        try {
            BatchWriter writer = new BatchWriter(tables.prepared(), namespace);
            boolean more = false;
            Exception trouble = null;
            for (Spool spool : spools()) { // the own spool is the last one
                boolean own = spool == spools.own();
                if (abandoned) {
                    return false;
                } else if (own
                        || !(trouble instanceof SQLException)) { // if the database is away, two attempts are enough
                    try {
                        more |= deliver(writer, spool);
                    } catch (IOException | SQLException | RuntimeException e) {
                        if (own) {
                            throw e;
                        }
                        trouble = e; // the own spool does not wait for this one
                    }
                }
            }
            if (!more && !abandoned) {
                cleaning.step(tables.prepared(), namespace);
            }
            if (trouble instanceof SQLException) {
                failed(trouble);
                return more;
            }
            failures = 0;
            if (trouble != null) {
                waits(trouble);
                return more;
            }
            if (delayedSince != null) {
                log.info("the history is written to the database again");
            }
            failure = null;
            answered = time.now();
            delayedSince = null;
            return more;
        } catch (SQLException | IOException | RuntimeException e) {
            failed(e);
        } catch (Error e) { // the thread must not end
            failed(e);
        }
        return false;
    }

    private void failed(Throwable e) {
        failures++;
        waits(e);
    }

    private void waits(Throwable why) {
        if (abandoned) {
            return;
        }
        failure = Texts.bounded(clause(why), Texts.LONGEST);
        if (delayedSince == null) {
            delayedSince = time.now();
            log.warn("the rows of the history wait on disk, because {}", failure, why);
        } else {
            log.debug("the rows of the history still wait on disk", why);
        }
    }

    private static String clause(Throwable e) {
        if (e instanceof SQLException || e instanceof HistorySchemaException) {
            return "the database does not accept them: " + (e.getMessage() == null ? e : e.getMessage());
        } else if (e instanceof IOException) { // its message may be only a path
            return "the spool cannot be read or written: " + e;
        }
        return "their delivery fails: " + e;
    }

    private List<Spool> spools() {
        if (time.nanoTime() - lookedAt < ADOPTION.toNanos()) {
            return spools.present();
        }
        lookedAt = time.nanoTime();
        return spools.spools();
    }

    /** Delivers at most one batch of a spool. Returns true if more rows wait. */
    private boolean deliver(BatchWriter writer, Spool spool) throws SQLException, IOException {
        String source = spool.source();
        Position from = positions.get(spool);
        if (from == null) {
            from = writer.position(source).orElse(Position.START);
            positions.put(spool, from);
            spool.delivered(from, 0);
        }
        Spool.Chunk chunk = read(spool, from);
        if (chunk == null) {
            return false;
        }
        if (!chunk.unreadable().isEmpty()) {
            Position stored = writer.position(source).orElse(from);
            if (stored.compareTo(from) > 0) { // another process delivers this spool, and may have deleted its files
                reached(spool, stored, 0);
                return true;
            }
        }
        report(source, chunk);
        if (chunk.rows().isEmpty() && chunk.next().equals(from)) {
            if (spool != spools.own()) {
                spools.finished(spool);
                positions.remove(spool);
                unreadableAt.remove(source);
                refusedAt.remove(source);
            }
            return false;
        }
        write(writer, spool, new Batch(source, from, chunk.next(), chunk.rows()));
        return chunk.size() == BATCH;
    }

    /** Reads rows of a spool. Returns null if the files of a dead process cannot be read. */
    private Spool.@Nullable Chunk read(Spool spool, Position from) throws IOException {
        try {
            return spool.read(from, BATCH);
        } catch (IOException e) {
            if (spool == spools.own()) {
                throw e;
            }
            if (unreadable.add(spool.source())) {
                log.error("the history cannot read the spool {}; its rows stay there", spool.source(), e);
            }
            return null;
        }
    }

    private void report(String source, Spool.Chunk chunk) {
        for (Spool.Unreadable each : chunk.unreadable()) {
            once(unreadableAt, source, each.at(), () -> {
                log.error("a part of the history is not readable: {}", each.why());
                if (each.entry() == null) {
                    spools.countLost(each.rows());
                } else {
                    rejectedRows.keep(each.entry(), "not readable");
                }
            });
        }
    }

    /** Reports a position only once, although the same rows are read repeatedly while the database does not answer. */
    private static void once(Map<String, Position> latest, String source, Position at, Runnable report) {
        Position before = latest.get(source);
        if (before == null || at.compareTo(before) > 0) {
            report.run();
            latest.put(source, at);
        }
    }

    /**
     * Writes rows. If the database refuses a value, writes the rows in halves until the refused row is alone, and skips
     * that row.
     */
    private void write(BatchWriter writer, Spool spool, Batch batch) throws SQLException {
        List<SpooledRow> rows = batch.rows();
        WriteResult result = writer.write(batch);
        if (result instanceof WriteResult.Written) {
            reached(spool, batch.to(), rows.size());
        } else if (result instanceof WriteResult.AlreadyWritten already) {
            reached(spool, already.position(), (int) rows.stream()
                    .filter(row -> row.at().compareTo(already.position()) < 0)
                    .count());
        } else if (result instanceof WriteResult.Failed failed) {
            throw failed.cause();
        } else if (result instanceof WriteResult.Refused refused) {
            if (rows.isEmpty()) {
                throw refused.cause();
            } else if (rows.size() == 1) {
                SpooledRow row = rows.get(0);
                once(
                        refusedAt,
                        batch.source(),
                        row.at(),
                        () -> rejectedRows.keep(row.row(), refused.cause().getMessage()));
                write(writer, spool, new Batch(batch.source(), batch.from(), batch.to(), List.of()));
            } else {
                int half = rows.size() / 2;
                Position middle = rows.get(half).at();
                write(writer, spool, new Batch(batch.source(), batch.from(), middle, rows.subList(0, half)));
                write(writer, spool, new Batch(batch.source(), middle, batch.to(), rows.subList(half, rows.size())));
            }
        }
    }

    private void reached(Spool spool, Position position, int rows) {
        positions.put(spool, position);
        delivered.addAndGet(rows);
        spool.delivered(position, rows);
    }
}
