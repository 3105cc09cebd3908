package io.ostraka.core.tree;

import io.ostraka.core.time.Clock;
import java.time.Instant;

/**
 * The server's clock, as far as its answers to writes tell: each was made between its sending and its answer, however
 * long that took, and what is known changes only as far as it must. The monotonic clock counts it on, so that a jump of
 * this host's own clock shows at once. Thread-safe.
 */
final class ServerClock {
    private static final long MILLI = 1_000_000;

    private final Clock clock;
    private boolean known;
    /** What the server's clock shows, since 1970, when the monotonic one is at zero. */
    private long originNanos;

    ServerClock(Clock clock) {
        this.clock = clock;
    }

    /**
     * Takes the answer to a write, which has just come.
     *
     * @param written when it was made, by the server's clock
     * @param sentNanos when it was sent, by the monotonic clock
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

    /** Returns the server's time, whole milliseconds; this host's before the first answer. */
    synchronized Instant now() {
        return known ? Instant.ofEpochMilli(Math.floorDiv(originNanos + clock.monotonicNanos(), MILLI)) : clock.now();
    }
}
