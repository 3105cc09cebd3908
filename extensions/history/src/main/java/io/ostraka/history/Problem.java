package io.ostraka.history;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Determines the problem of the history that the health of the instance reports. Not thread-safe. */
final class Problem {
    /** Time for which the delivery may fail before this counts as a problem. */
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
     * @param failure clause that says why rows wait
     * @param spoolError latest error with which the spool did not take rows; null if there was none
     */
    @Nullable String of(HistoryStatistics figures, String failure, @Nullable String spoolError, Instant now) {
        loss = figures.lost() > lost || figures.rejected() > rejected;
        if (figures.lost() > lost) {
            lost = figures.lost();
            lostAt = now;
        }
        if (figures.rejected() > rejected) {
            rejected = figures.rejected();
            rejectedAt = now;
        }
        List<String> parts = new ArrayList<>();
        if (lostAt != null && now.isBefore(lostAt.plus(LOSS_SHOWN))) {
            parts.add(lost + " rows are lost, because the spool in " + spool
                    + " was full, too slow or not writable, or because its files were damaged or deleted"
                    + (spoolError == null ? "" : " (latest error: " + spoolError + ")")
                    + "; check the database and the disk");
        }
        if (rejectedAt != null && now.isBefore(rejectedAt.plus(LOSS_SHOWN))) {
            parts.add(rejected + " rows were refused by the database or are not readable; look into "
                    + spool.resolve(RejectedRows.FILE));
        }
        Instant since = figures.delayedSince();
        if (since != null && !now.isBefore(since.plus(TOLERATED_DELAY))) {
            parts.add("rows wait in " + spool + " since " + since + ", because " + failure);
        }
        return parts.isEmpty() ? null : "history: " + String.join("; ", parts);
    }

    /** Returns whether the latest call of {@link #of} has found further lost or rejected rows. */
    boolean loss() {
        return loss;
    }
}
