package io.ostraka.api;

/**
 * Treatment of misfired fires: fires that were older than {@link JobConfiguration#misfireThreshold()} when they could
 * first run, because every instance was down, paused or disconnected. The item's record counts skipped fires by reason.
 */
public sealed interface MisfirePolicy {
    /** Runs the latest misfired fire, or none if a later fire is on time. Skips the others. */
    record FireOnce() implements MisfirePolicy {}

    /** Skips all misfired fires. */
    record Skip() implements MisfirePolicy {}

    /**
     * Runs the latest {@code max} misfired fires, oldest first, each with its own fire time. Skips older ones.
     *
     * @param max largest number of misfired fires to run, from 1
     */
    record FireAll(int max) implements MisfirePolicy {
        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if {@code max} is less than 1
         */
        public FireAll {
            if (max < 1) {
                throw new IllegalArgumentException("misfire fireAll max is " + max + "; accepted: 1 or more");
            }
        }
    }

    /** Returns {@link FireOnce}, the default. */
    static MisfirePolicy fireOnce() {
        return new FireOnce();
    }

    /** Returns {@link Skip}. */
    static MisfirePolicy skip() {
        return new Skip();
    }

    /** Returns {@link FireAll} with the given limit. */
    static MisfirePolicy fireAll(int max) {
        return new FireAll(max);
    }
}
