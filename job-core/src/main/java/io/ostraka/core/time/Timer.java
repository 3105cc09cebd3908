package io.ostraka.core.time;

import java.time.Duration;

/** Calls callbacks after delays of monotonic time. Used for time limits and for pauses before a retry. Thread-safe. */
public interface Timer extends AutoCloseable {
    /**
     * Calls a callback once.
     *
     * @param delay time from now; the call may come slightly later, but not earlier
     * @param wake the callback, called on the timer's thread; must only enqueue work
     * @return an action that cancels the call if it has not started
     */
    Runnable after(Duration delay, Runnable wake);

    /**
     * Calls a callback once, in another way than {@link #after}, which has thrown an exception. By default, makes a
     * second attempt.
     */
    default void rescue(Duration delay, Runnable wake) {
        after(delay, wake);
    }

    /** Stops the timer. No callback starts after this method has returned. */
    @Override
    void close();
}
