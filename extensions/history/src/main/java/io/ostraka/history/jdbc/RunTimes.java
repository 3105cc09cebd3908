package io.ostraka.history.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Distribution of run times. Bucket {@code i} counts run times of up to {@code 2.5^i} ms that are longer than those of
 * the previous bucket. The last bucket has no limit. Immutable.
 *
 * @param runs number of run times in each bucket, {@value #BUCKETS} of them
 * @param max longest run time
 */
public record RunTimes(List<Long> runs, Duration max) {
    /** Number of buckets. */
    public static final int BUCKETS = 20;

    private static final double BASE = 2.5;

    /** Copies the list. */
    public RunTimes {
        runs = List.copyOf(runs);
        if (runs.size() != BUCKETS) {
            throw new IllegalArgumentException(runs.size() + " buckets; accepted: " + BUCKETS);
        }
    }

    /** Returns the bucket of a run time in milliseconds. */
    static int bucket(double ms) {
        double bound = 1;
        for (int i = 0; i < BUCKETS - 1; i++) {
            if (ms <= bound) {
                return i;
            }
            bound *= BASE;
        }
        return BUCKETS - 1;
    }

    /**
     * Returns the run time that a share of the runs did not exceed. The time is rounded up to the bound of its bucket,
     * but not above {@link #max}. Empty if there are no run times.
     *
     * @param share share of the runs, such as 0.95
     * @throws IllegalArgumentException if the share is not between 0 and 1
     */
    public Optional<Duration> percentile(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share is " + share + "; accepted: 0 to 1");
        }
        long all = count();
        if (all == 0) {
            return Optional.empty();
        }
        double wanted = Math.max(1, Math.ceil(share * all));
        long seen = 0;
        double bound = 1;
        for (int i = 0; i < BUCKETS - 1; i++) {
            seen += runs.get(i);
            if (seen >= wanted) {
                Duration upper = Duration.ofNanos(Math.round(bound * 1_000_000));
                return Optional.of(upper.compareTo(max) < 0 ? upper : max);
            }
            bound *= BASE;
        }
        return Optional.of(max);
    }

    /** Returns the number of run times. */
    public long count() {
        return runs.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the distribution of these and other run times together. */
    public RunTimes plus(RunTimes other) {
        List<Long> sum = new ArrayList<>(BUCKETS);
        for (int i = 0; i < BUCKETS; i++) {
            sum.add(runs.get(i) + other.runs.get(i));
        }
        return new RunTimes(sum, max.compareTo(other.max) >= 0 ? max : other.max);
    }
}
