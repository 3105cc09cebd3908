package io.ostraka.history;

import io.ostraka.history.jdbc.HistoryDatabase;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves rows from the spools into the database, on one thread of its own, and deletes old rows. */
final class Delivery implements Runnable {
    /** Largest number of rows in one transaction. */
    static final int BATCH = 500;

    private static final Logger log = LoggerFactory.getLogger(Delivery.class);
    /** Pause after all rows were delivered. Rows that come during the pause share a transaction. */
    private static final Duration PAUSE = Duration.ofMillis(500);
    /** Longest pause after a failure. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** Interval between two looks for the spools of dead processes. */
    private static final Duration ADOPTION = Duration.ofSeconds(10);

    private final SpoolDirectory spools;
    private final HistoryDatabase database;
    private final String namespace;
    private final RejectedRows rejectedRows;
    private final Cleaning cleaning;
    private final Runnable afterRound;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Map<String, Position> positions = new HashMap<>();
    private final AtomicLong delivered = new AtomicLong();

    private List<Spool> known = List.of();
    private long lookedAt;
    private int failures;
    private volatile boolean prepared;
    private volatile @Nullable Instant delayedSince;
    private volatile @Nullable String failure;

    /**
     * @param rejected directory for rows that the database refuses
     * @param afterRound called on the delivery's thread after each round
     */
    Delivery(
            SpoolDirectory spools,
            HistoryDatabase database,
            String namespace,
            Path rejected,
            Cleaning cleaning,
            Runnable afterRound) {
        this.spools = spools;
        this.database = database;
        this.namespace = namespace;
        this.rejectedRows = new RejectedRows(rejected);
        this.cleaning = cleaning;
        this.afterRound = afterRound;
        this.lookedAt = System.nanoTime() - ADOPTION.toNanos();
    }

    /** Ends the thread after it has tried once more to deliver all rows. */
    void close() {
        closing.countDown();
    }

    long delivered() {
        return delivered.get();
    }

    long rejected() {
        return rejectedRows.count();
    }

    /** Returns the time since which rows wait for the database; null if none does. */
    @Nullable Instant delayedSince() {
        return delayedSince;
    }

    /** Returns why the last round failed; null if it succeeded. */
    @Nullable String failure() {
        return failure;
    }

    @Override
    public void run() {
        boolean closes = false;
        boolean more = true;
        while (more || !closes) {
            closes = !more && pause();
            more = round();
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
        } catch (InterruptedException e) { // the close has waited long enough
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Delivers what waits. Returns whether more rows wait and the database accepts them. */
    private boolean round() {
        try {
            if (!prepared) {
                database.prepare();
                prepared = true;
            }
            boolean more = false;
            for (Spool spool : spools()) {
                more |= deliver(spool);
            }
            if (!more) {
                cleaning.step(database, namespace);
            }
            if (failures > 0) {
                log.info("the history is written to the database again");
            }
            failures = 0;
            failure = null;
            delayedSince = null;
            return more;
        } catch (SQLException | IOException | RuntimeException e) {
            failed(e);
        } catch (Error e) { // the thread must go on
            failed(e);
        }
        return false;
    }

    private void failed(Throwable e) {
        failures++;
        failure = e.getMessage() == null ? e.toString() : Texts.bounded(e.getMessage(), Texts.LONGEST);
        if (delayedSince == null) {
            delayedSince = Instant.now();
            log.warn("the history cannot be written to the database; its rows wait on disk: {}", failure, e);
        } else {
            log.debug("the history still cannot be written to the database", e);
        }
    }

    private List<Spool> spools() throws IOException {
        if (System.nanoTime() - lookedAt >= ADOPTION.toNanos()) {
            known = spools.spools();
            lookedAt = System.nanoTime();
        }
        return known;
    }

    /** Delivers at most one batch of a spool. Returns whether more rows wait. */
    private boolean deliver(Spool spool) throws SQLException, IOException {
        String source = spool.source();
        Position from = positions.get(source);
        if (from == null) {
            from = database.position(namespace, source).orElse(Position.START);
            positions.put(source, from);
            spool.delivered(from);
        }
        Spool.Chunk chunk = spool.read(from, BATCH);
        for (String each : chunk.unreadable()) {
            log.error("a part of the history is not readable: {}", each);
        }
        for (byte[] each : chunk.rejected()) {
            rejectedRows.keep(each, "not readable");
        }
        if (chunk.rows().isEmpty() && chunk.next().equals(from)) {
            if (spool != spools.own()) {
                spools.finished(spool);
                database.forget(namespace, source);
                positions.remove(source);
                lookedAt = System.nanoTime() - ADOPTION.toNanos();
            }
            return false;
        }
        write(spool, from, chunk.next(), chunk.rows());
        return chunk.rows().size() == BATCH;
    }

    /** Writes rows. If the database refuses their data, writes them in smaller parts, and finally without the bad row. */
    private void write(Spool spool, Position from, Position next, List<SpooledRow> rows)
            throws SQLException, IOException {
        try {
            reached(spool, database.write(namespace, spool.source(), from, next, rows), rows.size());
        } catch (SQLException e) {
            if (!HistoryDatabase.refusesData(e) || rows.isEmpty()) {
                throw e;
            }
            if (rows.size() == 1) {
                rejectedRows.keep(rows.get(0).row(), e.getMessage());
                reached(spool, database.write(namespace, spool.source(), from, next, List.of()), 0);
                return;
            }
            int half = rows.size() / 2;
            Position middle = rows.get(half).at();
            write(spool, from, middle, rows.subList(0, half));
            write(spool, middle, next, rows.subList(half, rows.size()));
        }
    }

    private void reached(Spool spool, Position position, int rows) throws IOException {
        positions.put(spool.source(), position);
        delivered.addAndGet(rows);
        spool.delivered(position);
    }
}
