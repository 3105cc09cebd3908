package io.ostraka.core.time;

import java.time.Instant;

/** Wall-clock time and monotonic time as two separate values. Thread-safe. */
public interface Clock {
    /** Returns the time of the wall clock in whole milliseconds. It may jump. */
    Instant now();

    /**
     * Returns nanoseconds since an arbitrary origin. The value never jumps, and it advances while the process is
     * suspended.
     */
    long monotonicNanos();
}
