package io.ostraka.api;

/**
 * Policy for misfired fires. A fire is misfired if it is older than {@link JobConfiguration#misfireThreshold()} at the
 * first moment at which it can run. This happens, for example, when no instance was running or connected, or when the
 * job was paused. The item's record in ZooKeeper counts skipped fires by reason.
 */
public sealed interface MisfirePolicy {
    /** Runs only the latest misfired fire, or no misfired fire if a later fire is on time. Skips the others. */
    record FireOnce() implements MisfirePolicy {}

    /** Skips all misfired fires. */
    record Skip() implements MisfirePolicy {}

    /**
     * Runs the latest {@code max} misfired fires, oldest first, each with its own fire time. Skips older ones.
     *
     * @param max largest number of misfired fires that run, from 1
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
