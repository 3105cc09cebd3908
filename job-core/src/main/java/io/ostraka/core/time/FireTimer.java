package io.ostraka.core.time;

import java.time.Instant;

/**
 * Wakes callers at instants of the wall clock. A wake-up may be late, and there may be additional wake-ups, so callers
 * must check whether a fire is due. Thread-safe.
 */
public interface FireTimer extends AutoCloseable {
    /**
     * Sets the wake-up of a key. Replaces an earlier wake-up with the same key.
     *
     * @param key key of the wake-up
     * @param at time of the wake-up; if it is in the past, the wake-up comes at once
     * @param wake called once on the fire timer's thread; must only enqueue work
     */
    void wakeAt(String key, Instant at, Runnable wake);

    /** Removes the wake-up of a key, if it has one. */
    void cancel(String key);

    /**
     * Stops all wake-ups. No wake-up starts after this method has returned. A wake-up that started before may still be
     * running.
     */
    @Override
    void close();
}
