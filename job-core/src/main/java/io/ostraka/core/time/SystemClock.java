package io.ostraka.core.time;

import java.time.Instant;

/** Reads the clocks of the machine. No other class of the engine reads them, so a simulation can replace this class. */
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
