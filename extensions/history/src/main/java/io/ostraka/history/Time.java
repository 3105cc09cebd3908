package io.ostraka.history;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The clocks of this host; tests replace them.
 *
 * @param wall the time of day
 * @param nanos a clock for intervals, which never goes back, like {@link System#nanoTime}
 */
record Time(InstantSource wall, LongSupplier nanos) {
    static final Time SYSTEM = new Time(Clock.systemUTC(), System::nanoTime);

    Instant now() {
        return wall.instant();
    }

    long nanoTime() {
        return nanos.getAsLong();
    }
}
