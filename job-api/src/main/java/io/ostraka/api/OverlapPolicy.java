package io.ostraka.api;

/**
 * What becomes of fires that come while the same item still runs. What is not run is counted in the item's record with
 * its reason.
 */
public sealed interface OverlapPolicy {
    /** Runs none of them. */
    record Skip() implements OverlapPolicy {}

    /** Runs the latest of them right after the present run, or none if a later fire is on time by then. */
    record Coalesce() implements OverlapPolicy {}

    /**
     * Runs the latest of them, oldest first, each with its own fire time.
     *
     * @param max how many wait at most, from 1
     */
    record Queue(int max) implements OverlapPolicy {
        /** Refuses a {@code max} under 1. */
        public Queue {
            if (max < 1) {
                throw new IllegalArgumentException("overlap queue max is " + max + "; accepted: 1 or more");
            }
        }
    }

    /**
     * Ends the present run, which counts as {@link ItemOutcome#CANCELLED}, and runs the latest of them in its place, or none
     * if a later fire is on time by then. A run that was triggered by hand is let go on.
     */
    record CancelRunning() implements OverlapPolicy {}

    /** See {@link Skip}; the default. */
    static OverlapPolicy skip() {
        return new Skip();
    }

    /** See {@link Coalesce}. */
    static OverlapPolicy coalesce() {
        return new Coalesce();
    }

    /** See {@link CancelRunning}. */
    static OverlapPolicy cancelRunning() {
        return new CancelRunning();
    }

    /** See {@link Queue}. */
    static OverlapPolicy queue(int max) {
        return new Queue(max);
    }
}
