package io.ostraka.core.time;

import java.time.Instant;

/** The machine's clocks: the one place that reads them. */
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
