package io.ostraka.core.time;

import java.time.Instant;

/** The clocks of the machine. No other class reads them. */
public final class SystemClock implements Clock {
    @Override
    public Instant now() {
        return Instant.ofEpochMilli(System.currentTimeMillis());
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }
}
