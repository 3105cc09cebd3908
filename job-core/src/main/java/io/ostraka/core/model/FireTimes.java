package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The instants at which a schedule fires, as a function. Immutable and thread-safe. No method walks through more fires
 * than it returns or counts, however far apart its bounds are.
 */
public interface FireTimes {
    /** Where counting ends, if fires can't be counted by arithmetic. */
    int COUNT_LIMIT = 1_000;

    /** Returns the first fire after an instant, empty when there is none any more. */
    Optional<Instant> next(Instant after);

    /**
     * Returns the latest fires in {@code (after, upTo]}, at most {@code max}, oldest first.
     *
     * @param max from 1
     */
    List<Instant> latest(Instant after, Instant upTo, int max);

    /** Returns how many fires lie in {@code (after, upTo]}; from {@link #COUNT_LIMIT} on it may mean that many or more. */
    long count(Instant after, Instant upTo);

    /** Returns the fires in {@code (after, upTo]} as decided without being run; empty when there are none. */
    default Optional<Unrun> unrun(Instant after, Instant upTo, SkipReason reason) {
        return latest(after, upTo, 1).stream()
                .findFirst()
                .map(last -> new Unrun(next(after).orElse(last), last, count(after, upTo), reason));
    }

    /**
     * Returns the fires of one item: where they count from its last run, its record tells which one is next. What is not
     * asked for an item is answered as for one that has never run.
     */
    default FireTimes of(ItemRecord record) {
        return this;
    }

    /** Tells whether a fire that is late, or overlapped, is on time all the same, since none comes after it before it has run. */
    default boolean patient() {
        return false;
    }
}
