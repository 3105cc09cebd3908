package io.ostraka.history;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Determines the problem of the history that the health of the instance reports. Not thread-safe. */
final class Problem {
    /** Time for which a database may refuse work before this counts as a problem. */
    static final Duration TOLERATED_DELAY = Duration.ofMinutes(1);
    /** Time for which lost and rejected rows count as a problem. */
    static final Duration LOSS_SHOWN = Duration.ofHours(1);

    private final Path spool;
    private long lost;
    private @Nullable Instant lostAt;
    private long rejected;
    private @Nullable Instant rejectedAt;
    /** True if the latest call of {@link #of} has found further lost or rejected rows. */
    private boolean loss;

    Problem(Path spool) {
        this.spool = spool;
    }

    /**
     * Returns the present problem; null if there is none.
     *
     * @param failure reason why the database does not accept rows
     */
    @Nullable String of(HistoryStatistics figures, String failure, Instant now) {
        loss = figures.lost() > lost || figures.rejected() > rejected;
        if (figures.lost() > lost) {
            lost = figures.lost();
            lostAt = now;
        }
        if (figures.rejected() > rejected) {
            rejected = figures.rejected();
            rejectedAt = now;
        }
        if (lostAt != null && now.isBefore(lostAt.plus(LOSS_SHOWN))) {
            return "history: " + lost + " rows are lost, because the spool in " + spool
                    + " was full, too slow or not writable; check the database and the disk";
        }
        if (rejectedAt != null && now.isBefore(rejectedAt.plus(LOSS_SHOWN))) {
            return "history: " + rejected + " rows were refused by the database or are not readable; look into "
                    + spool.resolve(RejectedRows.FILE);
        }
        Instant since = figures.delayedSince();
        if (since != null && !now.isBefore(since.plus(TOLERATED_DELAY))) {
            return "history: rows wait in " + spool + " since " + since
                    + ", because the database does not accept them: " + failure;
        }
        return null;
    }

    /** Returns whether the latest call of {@link #of} has found further lost or rejected rows. */
    boolean loss() {
        return loss;
    }
}
