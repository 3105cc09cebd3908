package io.ostraka.console.live;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest events of a feed, for clients that connect again. Bounded by number and by size. Not thread-safe. */
final class EventLog {
    /** Largest number of events. */
    static final int MOST_EVENTS = 1_000;
    /** Largest number of values in all events. */
    static final int MOST_VALUES = 20_000;

    /** An event with its number. */
    record Entry(long number, LiveEvent event) {}

    private final Deque<Entry> entries = new ArrayDeque<>();
    private long number;
    private int values;

    /** The log contains all events with a number above this one. */
    private long complete;

    /** Returns the latest number: the number of the latest event, or a later number that {@link #skip} has used. */
    long number() {
        return number;
    }

    /** Adds an event and returns it with its number. */
    Entry add(LiveEvent event) {
        Entry entry = new Entry(++number, event);
        entries.add(entry);
        values += event.weight();
        while (entries.size() > MOST_EVENTS || values > MOST_VALUES) {
            Entry oldest = entries.remove();
            values -= oldest.event.weight();
            complete = oldest.number;
        }
        return entry;
    }

    /** Returns a new number that belongs to no event. No client has received this number as the id of an event. */
    long skip() {
        return ++number;
    }

    /** Removes all events, so that no client can continue from an earlier number. */
    void clear() {
        entries.clear();
        values = 0;
        complete = skip();
    }

    /** Returns whether the log contains all events after the given number. */
    boolean holds(long after) {
        return after <= number && after >= complete;
    }

    /** Returns the events after a number that is {@linkplain #holds held}. */
    List<Entry> since(long after) {
        return entries.stream().filter(each -> each.number > after).toList();
    }
}
