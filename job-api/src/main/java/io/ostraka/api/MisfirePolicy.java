package io.ostraka.api;

/**
 * Policy for misfired fires. A fire is misfired if its age has reached {@link JobConfiguration#misfireThreshold()} when
 * it can first run. This happens, for example, when no instance was running or connected, or when the job was paused. The
 * item's record in ZooKeeper counts skipped fires by reason.
 */
public sealed interface MisfirePolicy {
    /**
     * Runs only the latest misfired fire, or no misfired fire if a later fire is on time. Skips all other misfired
     * fires.
     */
    record FireOnce() implements MisfirePolicy {}

    /** Skips all misfired fires. */
    record Skip() implements MisfirePolicy {}

    /**
     * Runs the latest {@code max} misfired fires, oldest first, each with its own fire time. Skips older ones.
     *
     * @param max maximum number of misfired fires that run, from 1
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

    /**
     * Parses a policy from text, such as the value of a property.
     *
     * @param text {@code fire-once}, {@code skip} or {@code fire-all(n)}; case, hyphens and underscores are ignored
     * @throws IllegalArgumentException if the text is not the name of a policy
     */
    static MisfirePolicy of(String text) {
        PolicyText policy = PolicyText.parse(text);
        return switch (policy.name()) {
            case "fireonce" -> fireOnce();
            case "skip" -> skip();
            case "fireall(n)" -> fireAll(policy.number());
            default -> throw PolicyText.refused("misfire", text, "fire-once, skip, or fire-all(n) with a number");
        };
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
