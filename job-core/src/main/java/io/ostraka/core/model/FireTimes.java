package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The instants at which a schedule fires. Immutable and thread-safe. No method iterates over more fires than it returns
 * or counts, even if its bounds are years apart.
 */
public interface FireTimes {
    /** Largest count of a schedule, such as cron, that can only be counted fire by fire. */
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
     * Returns the number of fires in {@code (after, upTo]}. A result of {@link #COUNT_LIMIT} or more is a lower bound.
     */
    long count(Instant after, Instant upTo);

    /** Returns the fires in {@code (after, upTo]} as skipped for a reason; empty if there are none. */
    default Optional<Unrun> unrun(Instant after, Instant upTo, SkipReason reason) {
        return latest(after, upTo, 1).stream()
                .findFirst()
                .map(last -> new Unrun(next(after).orElse(last), last, count(after, upTo), reason));
    }

    /**
     * Returns the fire times of one item. They differ between items if the schedule counts from the item's last run;
     * the receiver itself then answers for an item that has never run.
     */
    default FireTimes of(ItemRecord record) {
        return this;
    }

    /**
     * Returns whether late and overlapped fires count as on time. True if the next fire of the schedule depends on the
     * run of this fire.
     */
    default boolean patient() {
        return false;
    }
}
