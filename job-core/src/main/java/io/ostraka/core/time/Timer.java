package io.ostraka.core.time;

import java.time.Duration;

/** Calls back after spans of monotonic time, for time limits and pauses before a retry. Thread-safe. */
public interface Timer extends AutoCloseable {
    /**
     * Calls back once.
     *
     * @param delay time from now; the call may come one tick later
     * @param wake called on the timer's thread; must only enqueue
     * @return cancels the call if it has not begun
     */
    Runnable after(Duration delay, Runnable wake);

    /** Stops the timer; no call begins afterwards. */
    @Override
    void close();
}
