package io.ostraka.history.jdbc;

import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Adds up the rows of a batch for the table {@code rollup}. Not thread-safe. */
final class Rollups {
    private static final long HOUR_MS = Duration.ofHours(1).toMillis();
    /** Largest count of one row. Sums of many such rows still fit into a column. */
    private static final long LARGEST_COUNT = 1_000_000_000_000L;

    private final SortedMap<Key, Sums> sums = new TreeMap<>();

    /**
     * Key of a row of the table, without the namespace.
     *
     * @param hour beginning of the hour, in milliseconds since 1970
     * @param kind an outcome or a reason
     */
    record Key(String job, long hour, String kind) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::job).thenComparing(Key::hour).thenComparing(Key::kind);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    /** Numbers to add to a row of the table. */
    static final class Sums {
        long runs;
        long kept;
        long sumMs;
        long maxMs;
        final long[] buckets = new long[RunTimes.BUCKETS];

        private void add(long count, boolean stored, @Nullable Duration ran) {
            runs += count;
            kept += stored ? count : 0;
            if (ran != null) {
                long ms = Values.millis(ran);
                long mean = ms / count;
                sumMs += ms;
                maxMs = Math.max(maxMs, mean);
                buckets[RunTimes.bucket(ran.getSeconds() * 1e3 / count + ran.getNano() / 1e6 / count)] += count;
            }
        }
    }

    /** Returns the beginning of an hour in milliseconds since 1970. */
    static long hour(Instant at) {
        long ms = Values.millis(at);
        return ms < Long.MIN_VALUE + HOUR_MS ? ms : Math.floorDiv(ms, HOUR_MS) * HOUR_MS;
    }

    /** Adds a row, unless rows of this type are not counted. */
    void add(Row row) {
        if (row instanceof ClaimReport run) {
            switch (run.source()) {
                case OWNER -> add(run.job(), run.endedAt(), run.outcome(), 1, true, run.ran());
                case TAKER -> {
                    // The owner counts a claim that it has handed over, and does not count one that it has lost.
                    if (run.decision() == ClaimReport.Decision.TAKER) {
                        add(run.job(), run.endedAt(), run.outcome(), 1, true, null);
                    }
                }
                case RECORD, OTHER -> {} // the owner counts it
            }
        } else if (row instanceof Skipped skip) {
            if (!skip.recorded()) {
                add(skip.job(), skip.at(), skip.reason(), skip.count(), false, null);
            }
        } else if (row instanceof Measurement measured) {
            add(measured.job(), measured.at(), measured.kind(), measured.count(), false, measured.ran());
        } else if (!(row instanceof TriggeredRun || row instanceof HistoryEvent || row instanceof AuditEntry)) {
            throw new IllegalArgumentException("unknown type of row: " + row.getClass());
        }
    }

    private void add(String job, Instant at, String kind, long count, boolean kept, @Nullable Duration ran) {
        sums.computeIfAbsent(new Key(job, hour(at), kind), key -> new Sums())
                .add(Math.max(1, Math.min(count, LARGEST_COUNT)), kept, ran);
    }

    /** Returns the sums in the order of their keys. */
    SortedMap<Key, Sums> sums() {
        return sums;
    }
}
