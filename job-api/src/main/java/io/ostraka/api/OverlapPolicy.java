package io.ostraka.api;

/**
 * Treatment of fires that become due while the same item still runs. The item's record counts skipped fires by reason.
 */
public sealed interface OverlapPolicy {
    /** Skips all of these fires. */
    record Skip() implements OverlapPolicy {}

    /**
     * Runs the latest of these fires right after the present run, or none if a later fire is on time by then. Skips the
     * others.
     */
    record Coalesce() implements OverlapPolicy {}

    /**
     * Runs the latest {@code max} of these fires after the present run, oldest first, each with its own fire time.
     * Skips older ones.
     *
     * @param max largest number of waiting fires, from 1
     */
    record Queue(int max) implements OverlapPolicy {
        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if {@code max} is less than 1
         */
        public Queue {
            if (max < 1) {
                throw new IllegalArgumentException("overlap queue max is " + max + "; accepted: 1 or more");
            }
        }
    }

    /**
     * Cancels the present run, which ends as {@link ItemOutcome#CANCELLED}, and then runs the latest of these fires, or
     * none if a later fire is on time by then. A run from a manual trigger is not cancelled.
     */
    record CancelRunning() implements OverlapPolicy {}

    /** Returns {@link Skip}, the default. */
    static OverlapPolicy skip() {
        return new Skip();
    }

    /** Returns {@link Coalesce}. */
    static OverlapPolicy coalesce() {
        return new Coalesce();
    }

    /** Returns {@link CancelRunning}. */
    static OverlapPolicy cancelRunning() {
        return new CancelRunning();
    }

    /** Returns {@link Queue} with the given limit. */
    static OverlapPolicy queue(int max) {
        return new Queue(max);
    }
}
