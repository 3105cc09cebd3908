package io.ostraka.history;

import io.ostraka.history.jdbc.Cursor;
import io.ostraka.history.jdbc.HistoryDatabase;
import io.ostraka.history.jdbc.Page;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.history.jdbc.RetentionSteps;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes old rows in small steps: about once an hour, on the leader only, and only if no rows wait for delivery. */
final class Cleaning {
    private static final Logger log = LoggerFactory.getLogger(Cleaning.class);
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration JITTER = Duration.ofMinutes(10);
    /** Largest number of steps in a row, without a pause, that find no rows to delete. */
    private static final int IDLE_STEPS = 20;

    private static final int PAGE = 100;

    private final Retention retention;
    private final Time time;
    private final Deque<Step> steps = new ArrayDeque<>();
    private volatile boolean leads;
    /** Time of the next cleaning by {@link Time#nanoTime}. */
    private long next;

    private long deleted;

    /** Deletes some rows, and returns their number. */
    @FunctionalInterface
    private interface Step {
        int run() throws SQLException;
    }

    /** Returns the names of jobs, page by page. */
    @FunctionalInterface
    private interface Jobs {
        Page<String> page(@Nullable Cursor after, int limit) throws SQLException;
    }

    Cleaning(Retention retention, Time time) {
        this.retention = retention;
        this.time = time;
        this.next = time.nanoTime();
    }

    /** Records whether this instance is the leader. May be called on any thread. */
    void leads(boolean now) {
        leads = now;
    }

    /** Deletes some old rows if a cleaning is due. The caller pauses before the next call. */
    void step(HistoryDatabase database, String namespace) throws SQLException {
        if (!leads) {
            steps.clear();
            return;
        }
        if (steps.isEmpty()) {
            if (time.nanoTime() - next < 0) {
                return;
            }
            plan(database, namespace, earlier(time.now(), database.now()));
        }
        for (int idle = 0; idle < IDLE_STEPS && !steps.isEmpty(); idle++) {
            int rows;
            try {
                rows = steps.element().run();
            } catch (SQLException e) { // for example a missing right; the other tables are cleaned nevertheless
                steps.remove();
                log.warn(
                        "old rows of the history could not be deleted from one table; the next attempt is in about an hour",
                        e);
                continue;
            }
            deleted += rows;
            if (rows < RetentionSteps.LARGEST_STEP) {
                steps.remove();
            }
            if (rows > 0) {
                return;
            }
        }
        if (steps.isEmpty()) {
            next = time.nanoTime()
                    + INTERVAL.toNanos()
                    + ThreadLocalRandom.current().nextLong(JITTER.toNanos());
            if (deleted > 0) {
                log.info("{} old rows of the history were deleted", deleted);
                deleted = 0;
            }
        }
    }

    /** Returns the earlier time, so that a row is deleted only when it is old by both clocks, even if one is wrong. */
    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private void plan(HistoryDatabase database, String namespace, Instant now) throws SQLException {
        RetentionSteps deletes = new RetentionSteps(database, namespace);
        Queries queries = new Queries(database, namespace);
        steps.add(() -> deletes.succeededRuns(now.minus(retention.runs())));
        steps.add(() -> deletes.failedRuns(now.minus(retention.failures())));
        steps.add(() -> deletes.triggers(now.minus(retention.failures())));
        steps.add(() -> deletes.skipped(now.minus(retention.failures())));
        steps.add(() -> deletes.events(now.minus(retention.events())));
        steps.add(() -> deletes.audit(now.minus(retention.audit())));
        steps.add(() -> deletes.spools(now.minus(retention.events())));
        Instant levels = now.minus(retention.longestOfAccount());
        forEach(deletes::jobsWithEvents, job -> steps.add(() -> deletes.levels(job, levels)));
        forEach(queries::jobs, job -> planJob(deletes, job, now));
    }

    private static void forEach(Jobs jobs, Consumer<String> action) throws SQLException {
        Cursor after = null;
        do {
            Page<String> page = jobs.page(after, PAGE);
            page.rows().forEach(action);
            after = page.next();
        } while (after != null);
    }

    private void planJob(RetentionSteps deletes, String job, Instant now) {
        steps.add(() -> deletes.rollups(job, now.minus(retention.rollups())));
        steps.add(new Step() {
            private @Nullable Instant cutoff;

            @Override
            public int run() throws SQLException {
                if (cutoff == null) {
                    Optional<Instant> found = deletes.cutoff(job, retention.runsPerJob());
                    if (found.isEmpty()) {
                        return 0;
                    }
                    cutoff = found.get();
                }
                return deletes.runs(job, cutoff);
            }
        });
    }
}
