package io.ostraka.faults.worker;

import io.ostraka.core.time.Clock;
import io.ostraka.core.time.SystemClock;
import java.time.Duration;
import java.time.Instant;

/** The machine's clocks, with a wall clock that can be set ahead or behind. Thread-safe. */
final class MovableClock implements Clock {
    private final Clock real = new SystemClock();
    private volatile Duration ahead = Duration.ZERO;

    /** Sets how far the wall clock is ahead of the true time. */
    void move(Duration further) {
        ahead = further;
    }

    Duration ahead() {
        return ahead;
    }

    @Override
    public Instant now() {
        return real.now().plus(ahead);
    }

    @Override
    public long monotonicNanos() {
        return real.monotonicNanos();
    }
}
