package io.ostraka.core.tree;

import io.ostraka.core.time.Clock;
import java.time.Instant;

/**
 * Estimates the clock of the server from its answers to writes. The server made each write between its sending and its
 * answer; the estimate changes only as far as this requires. The monotonic clock advances the estimate, so a jump of
 * this host's own clock shows at once. Thread-safe.
 */
final class ServerClock {
    private static final long MILLI = 1_000_000;

    private final Clock clock;
    private boolean known;
    /** Time of the server, in nanoseconds since 1970, when the monotonic clock is at zero. */
    private long originNanos;

    ServerClock(Clock clock) {
        this.clock = clock;
    }

    /**
     * Records the answer to a write, which has just arrived.
     *
     * @param written time of the write by the server's clock
     * @param sentNanos time of sending by the monotonic clock
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

    /** Returns the time of the server in whole milliseconds; before the first answer, the time of this host. */
    synchronized Instant now() {
        return known ? Instant.ofEpochMilli(Math.floorDiv(originNanos + clock.monotonicNanos(), MILLI)) : clock.now();
    }
}
