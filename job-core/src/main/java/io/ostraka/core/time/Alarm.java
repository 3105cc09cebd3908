package io.ostraka.core.time;

import java.time.Instant;

/**
 * Wakes callers at instants of the wall clock. It makes no decisions, and a wake-up may be late or come once too
 * often. Thread-safe.
 */
public interface Alarm extends AutoCloseable {
    /**
     * Sets or moves the one alarm of a key.
     *
     * @param key key of the alarm
     * @param at time of the wake-up; an instant in the past wakes at once
     * @param wake called once on the alarm's thread; must only enqueue
     */
    void wakeAt(String key, Instant at, Runnable wake);

    /** Removes the alarm of a key, if it has one. */
    void cancel(String key);

    /** Stops all alarms. No wake-up starts after this method has returned; one that started before may still run. */
    @Override
    void close();
}
