package io.ostraka.core.time;

import java.time.Duration;

/** Wakes after spans of monotonic time: time limits, pauses before another try. Thread-safe. */
public interface Timer extends AutoCloseable {
    /**
     * Calls back once.
     *
     * @param delay from now; a tick more is possible
     * @param wake called on the timer's thread; must only enqueue
     * @return takes the call back if it has not begun
     */
    Runnable after(Duration delay, Runnable wake);

    /** Stops; nothing wakes afterwards. */
    @Override
    void close();
}
