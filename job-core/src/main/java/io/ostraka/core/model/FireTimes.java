package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SkipReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The instants at which a schedule fires. Immutable and thread-safe. The cost of a call depends on the number of fires
 * that it returns or counts, not on the length of the time span in its arguments.
 */
public interface FireTimes {
    /** Computes the fire times of a job. Thread-safe. */
    interface Source {
        /**
         * Returns the fire times of the plan's schedule. The effective configuration is only checked for validity.
         *
         * @param plan plan of the job; null before the first plan, when the job has no fires
         * @throws io.ostraka.api.OstrakaException if the configuration is invalid
         */
        FireTimes times(JobConfiguration effective, @Nullable ShardingPlan plan);
    }

    /**
     * Number of fires after which {@link #count} may stop, since the fires of some schedules, such as cron, can only be
     * counted one by one.
     */
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
     * Returns the number of fires in {@code (after, upTo]}. A result of {@link #COUNT_LIMIT} or more is only a lower
     * bound.
     */
    long count(Instant after, Instant upTo);

    /**
     * Returns the shortest possible time between two fires of the current schedule, in milliseconds. It bounds the number
     * of fires in a range without an evaluation of the schedule.
     */
    default long shortestGap() {
        return 1;
    }

    /**
     * Returns the oldest of the latest fires in {@code (after, upTo]}; empty if there are none.
     *
     * @param max number of latest fires
     */
    default Optional<Instant> oldestOfLatest(Instant after, Instant upTo, int max) {
        return fits(after, upTo, max)
                ? next(after).filter(fire -> !fire.isAfter(upTo))
                : latest(after, upTo, max).stream().findFirst();
    }

    /** Returns true if {@code (after, upTo]} cannot contain more than {@code max} fires of the current schedule. */
    default boolean fits(Instant after, Instant upTo, int max) {
        return Duration.between(after, upTo)
                        .compareTo(Duration.ofMillis(shortestGap()).multipliedBy(max))
                < 0;
    }

    /** Returns all fires in {@code (after, upTo]} as one range of skipped fires; empty if there are none. */
    default Optional<Skipped> skipped(Instant after, Instant upTo, SkipReason reason) {
        return latest(after, upTo, 1).stream()
                .findFirst()
                .map(last -> new Skipped(next(after).orElse(last), last, count(after, upTo), reason));
    }

    /**
     * Returns the fire times of the item with this record. The items of a job have different fire times only if the
     * schedule counts from the last run of each item. For such a schedule, this object itself has the fire times of an
     * item that has never run.
     */
    default FireTimes of(ItemRecord record) {
        return this;
    }

    /**
     * Returns the same fire times, evaluated once for each fire if an evaluation takes long. One step of a job asks for
     * the same fires once for each item. The result is not thread-safe and forgets nothing, so use it for one step only.
     */
    default FireTimes remembering() {
        return this;
    }

    /**
     * Returns true if even a late or overlapped fire counts as on time. This is the case for a schedule with a single
     * fire, and for a schedule that counts from the last run, because only the run of a fire determines the next fire.
     * If such a fire were skipped, the item would not run again.
     */
    default boolean patient() {
        return false;
    }
}
