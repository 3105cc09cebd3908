package io.ostraka.api;

/**
 * Policy for fires that could not start in time, for example because the item's instance had died, no instance was
 * connected, or the job was paused. By default, an item that could not start its fires when they came due runs the
 * latest of them, however late, and skips the earlier ones.
 *
 * <p>A fire is misfired if its item could not start it before the item's next fire came due, or before the fire was as
 * old as {@link JobConfiguration#misfireThreshold()}. So of several late fires, only the latest can be on time. Fires
 * that became due while the item was running are not misfired; see {@link OverlapPolicy}. The item's record in
 * ZooKeeper counts skipped fires by reason.
 */
public sealed interface MisfirePolicy {
    /**
     * Runs only the latest misfired fire, or no misfired fire if a later fire is on time. Skips all other misfired
     * fires.
     */
    record FireOnce() implements MisfirePolicy {}

    /** Skips all misfired fires. A late fire still runs if it is the latest one and younger than the threshold. */
    record Skip() implements MisfirePolicy {}

    /**
     * Runs the latest {@code max} misfired fires, oldest first, each with its own fire time, and then the fire that is
     * on time. Skips older ones.
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
