package io.ostraka.lite.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Records all events, and lets tests wait for them. Thread-safe. */
final class Recorder {
    /** A generous limit, because only a failing test reaches it. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<Event> events = new ArrayList<>();

    synchronized void add(Event event) {
        events.add(event);
        notifyAll();
    }

    /** Returns the first matching event since the beginning; waits if there is none yet. */
    Event await(String what, Predicate<Event> wanted) throws InterruptedException {
        return await(what, 1, wanted);
    }

    /** Returns the {@code count}th matching event since the beginning; waits if there are fewer yet. */
    synchronized Event await(String what, int count, Predicate<Event> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        int looked = 0;
        int found = 0;
        while (true) {
            for (; looked < events.size(); looked++) {
                if (wanted.test(events.get(looked)) && ++found == count) {
                    return events.get(looked);
                }
            }
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new AssertionError("Waited " + LIMIT + " for " + what + "; events:\n" + this);
            }
            wait(millis);
        }
    }

    /** Returns all matching events so far. */
    synchronized List<Event> all(Predicate<Event> wanted) {
        return events.stream().filter(wanted).toList();
    }

    @Override
    public synchronized String toString() {
        return events.stream().map(Event::toString).collect(Collectors.joining("\n"));
    }
}
