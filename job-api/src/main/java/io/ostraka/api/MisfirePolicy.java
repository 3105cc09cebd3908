package io.ostraka.api;

/**
 * What becomes of fires that are older than {@link JobConfiguration#misfireThreshold()} when they could first run,
 * because every instance was down, paused or cut off. What is not run is counted in the item's record with its reason.
 */
public sealed interface MisfirePolicy {
    /** Runs the latest of them, or none if a later fire is on time. */
    record FireOnce() implements MisfirePolicy {}

    /** Runs none of them. */
    record Skip() implements MisfirePolicy {}

    /**
     * Runs the latest of them, oldest first, each with its own fire time.
     *
     * @param max how many at most, from 1
     */
    record FireAll(int max) implements MisfirePolicy {
        /** Refuses a {@code max} under 1. */
        public FireAll {
            if (max < 1) {
                throw new IllegalArgumentException("misfire fireAll max is " + max + "; accepted: 1 or more");
            }
        }
    }

    /** See {@link FireOnce}; the default. */
    static MisfirePolicy fireOnce() {
        return new FireOnce();
    }

    /** See {@link Skip}. */
    static MisfirePolicy skip() {
        return new Skip();
    }

    /** See {@link FireAll}. */
    static MisfirePolicy fireAll(int max) {
        return new FireAll(max);
    }
}
