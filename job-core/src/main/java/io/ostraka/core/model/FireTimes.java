package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The instants at which a schedule fires, as a function. Immutable and thread-safe. No method walks through more fires than
 * it returns or counts, however far apart its bounds are.
 */
public interface FireTimes {
    /** Limit of counting where fires cannot be counted by arithmetic. */
    int COUNT_LIMIT = 1_000;

    /** Returns the first fire after an instant; empty if there is none. */
    Optional<Instant> next(Instant after);

    /**
     * Returns the latest fires in {@code (after, upTo]}, at most {@code max}, oldest first.
     *
     * @param max largest number of fires, from 1
     */
    List<Instant> latest(Instant after, Instant upTo, int max);

    /**
     * Returns the number of fires in {@code (after, upTo]}; a result from {@link #COUNT_LIMIT} on means that many or more.
     */
    long count(Instant after, Instant upTo);

    /** Returns the fires in {@code (after, upTo]} as decided without a run; empty if there are none. */
    default Optional<Unrun> unrun(Instant after, Instant upTo, SkipReason reason) {
        return latest(after, upTo, 1).stream()
                .findFirst()
                .map(last -> new Unrun(next(after).orElse(last), last, count(after, upTo), reason));
    }

    /**
     * Returns the fires of one item, for schedules that count from the item's last run. Other methods of this object answer
     * as for an item that has never run.
     */
    default FireTimes of(ItemRecord record) {
        return this;
    }

    /** Returns whether a late or overlapped fire still counts as on time, because the next fire depends on its run. */
    default boolean patient() {
        return false;
    }
}
