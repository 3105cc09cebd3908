package io.ostraka.core.run;

import java.time.Duration;

/**
 * How quick a job's runs are, so that slow jobs don't stand in the way of quick ones. A job is slow from more than ten runs
 * of over half a second within a minute, until a minute without any. The limits are those of xxl-job's trigger pools, which
 * count by the clock's minute. Thread-safe.
 */
final class Pace {
    private static final long SLOW_NANOS = Duration.ofMillis(500).toNanos();
    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int TOLERATED = 10;

    /** When the latest slow runs ended, in a ring; the next is written where the oldest is. */
    private final long[] slowEnds = new long[TOLERATED + 1];

    private long count;
    private boolean slow;

    /**
     * A run has ended.
     *
     * @param tookNanos how long it took
     * @param now monotonic
     */
    synchronized void ended(long tookNanos, long now) {
        slow = slow(now);
        if (tookNanos <= SLOW_NANOS) {
            return;
        }
        slowEnds[(int) (count % slowEnds.length)] = now;
        count++;
        boolean oftenEnough = count >= slowEnds.length;
        slow |= oftenEnough && now - slowEnds[(int) (count % slowEnds.length)] <= MINUTE_NANOS;
    }

    /** Tells whether it is slow; {@code now} is monotonic. */
    synchronized boolean slow(long now) {
        return slow && now - slowEnds[(int) ((count - 1) % slowEnds.length)] <= MINUTE_NANOS;
    }
}
