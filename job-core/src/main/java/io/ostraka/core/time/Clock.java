package io.ostraka.core.time;

import java.time.Instant;

/** Wall and monotonic time, apart. Thread-safe. */
public interface Clock {
    /** Returns the wall clock's time, whole milliseconds; it may jump. */
    Instant now();

    /** Returns nanoseconds since an arbitrary origin; it never jumps, and counts on while the process is stopped. */
    long monotonicNanos();
}
