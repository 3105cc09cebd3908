package io.ostraka.core.tree;

import io.ostraka.core.time.Clock;
import java.time.Instant;

/**
 * Estimates the current time on the server's clock from answers to writes, which contain the time of the write. The
 * server made each write after the request was sent and before the answer arrived. If the estimate contradicts this
 * order, the estimate is corrected by the smallest possible amount. Between answers, the estimate advances with the
 * monotonic clock, so jumps of this host's wall clock do not affect it. Thread-safe.
 */
final class ServerClock {
    private static final long MILLI = 1_000_000;

    private final Clock clock;
    private boolean known;
    /** Estimated server time when the monotonic clock shows zero, in nanoseconds since 1970. */
    private long originNanos;

    ServerClock(Clock clock) {
        this.clock = clock;
    }

    /**
     * Corrects the estimate with the answer to a write. Must be called when the answer arrives.
     *
     * @param written time of the write on the server's clock
     * @param sentNanos time at which the request was sent, on the monotonic clock
     */
    synchronized void answered(Instant written, long sentNanos) {
        long at = written.toEpochMilli() * MILLI;
        long earliest = at - clock.monotonicNanos();
        long latest = at - sentNanos;
        if (!known || originNanos - latest > 0) {
            originNanos = latest;
        } else if (originNanos - earliest < 0) {
            originNanos = earliest;
        }
        known = true;
    }

    /** Returns whether an answer has contained the server's time yet. */
    synchronized boolean known() {
        return known;
    }

    /**
     * Returns the estimated time on the server's clock in whole milliseconds. Before the first answer, this is the
     * wall-clock time of this host.
     */
    synchronized Instant now() {
        return known ? Instant.ofEpochMilli(Math.floorDiv(originNanos + clock.monotonicNanos(), MILLI)) : clock.now();
    }
}
