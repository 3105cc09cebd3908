package io.ostraka.lite.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** All that has happened, for tests to wait on. Thread-safe. */
final class Recorder {
    /** Generous: it only ends a test that fails. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<Event> events = new ArrayList<>();

    synchronized void add(Event event) {
        events.add(event);
        notifyAll();
    }

    /** Returns the first such event, however long ago; waits for it if there was none. */
    Event await(String what, Predicate<Event> wanted) throws InterruptedException {
        return await(what, 1, wanted);
    }

    /** Returns the last of that many such events, counted from the beginning; waits for it if there were fewer. */
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
                throw new AssertionError("Waited " + LIMIT + " in vain for " + what + "; what happened:\n" + this);
            }
            wait(millis);
        }
    }

    /** Returns all such events so far. */
    synchronized List<Event> all(Predicate<Event> wanted) {
        return events.stream().filter(wanted).toList();
    }

    @Override
    public synchronized String toString() {
        return events.stream().map(Event::toString).collect(Collectors.joining("\n"));
    }
}
