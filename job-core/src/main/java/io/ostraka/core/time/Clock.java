package io.ostraka.core.time;

import java.time.Instant;

/** Provides the wall-clock time and the monotonic time. Thread-safe. */
public interface Clock {
    /** Returns the wall-clock time in whole milliseconds. This time may jump forward or back. */
    Instant now();

    /**
     * Returns the monotonic time: nanoseconds since an arbitrary origin. This time never jumps, and it advances even
     * while the process is suspended. The value may be negative and may overflow, so compare two values by their
     * difference.
     */
    long monotonicNanos();
}
