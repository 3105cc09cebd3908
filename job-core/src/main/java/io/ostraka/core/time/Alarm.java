package io.ostraka.core.time;

import java.time.Instant;

/** Wakes at instants of the wall clock. An alarm clock: it decides nothing, and may wake late or once too often. Thread-safe. */
public interface Alarm extends AutoCloseable {
    /**
     * Sets or moves the one alarm of a key.
     *
     * @param key whose alarm
     * @param at when; at once if it has passed
     * @param wake called once on the alarm's thread; must only enqueue
     */
    void wakeAt(String key, Instant at, Runnable wake);

    /** Removes the alarm of a key, if it has one. */
    void cancel(String key);

    /** Stops all alarms; none wakes after this has returned, but one may be under way. */
    @Override
    void close();
}
