package io.ostraka.history;

import io.ostraka.history.jdbc.HistoryDatabase;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes old rows in small steps: about once an hour, on the leader only. Rows that wait for the database come first.
 */
final class Cleaning {
    private static final Logger log = LoggerFactory.getLogger(Cleaning.class);
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final int JITTER_SECONDS = 600;

    private final Retention retention;
    private final Clock clock;
    private volatile boolean leads;
    private Instant next = Instant.MIN;
    private long deleted;

    Cleaning(Retention retention, Clock clock) {
        this.retention = retention;
        this.clock = clock;
    }

    /** Records whether this instance leads. May be called on any thread. */
    void leads(boolean now) {
        leads = now;
    }

    /** Deletes some old rows if this is the time for it. The caller pauses between two steps. */
    void step(HistoryDatabase database, String namespace) throws SQLException {
        Instant now = clock.instant();
        if (!leads || now.isBefore(next)) {
            return;
        }
        int rows = database.clean(namespace, retention, now);
        deleted += rows;
        if (rows == 0) {
            if (deleted > 0) {
                log.info("{} old rows of the history were deleted", deleted);
            }
            deleted = 0;
            next = now.plus(INTERVAL)
                    .plusSeconds(ThreadLocalRandom.current().nextInt(JITTER_SECONDS));
        }
    }
}
