package io.ostraka.api;

/**
 * Policy for overlapping fires: fires of an item that become due while the item still runs. If the instance that runs
 * the item dies, the item counts as running until another instance has finished the interrupted fire, or has recorded
 * that it does not run again. The item's record in ZooKeeper counts skipped fires by reason.
 */
public sealed interface OverlapPolicy {
    /** Skips all overlapping fires. */
    record Skip() implements OverlapPolicy {}

    /**
     * Runs only the latest overlapping fire, right after the current run has ended. Runs no overlapping fire if another
     * fire is on time at that moment. Skips all overlapping fires that do not run.
     */
    record Coalesce() implements OverlapPolicy {}

    /**
     * Runs the latest {@code max} overlapping fires after the current run has ended, oldest first, each with its own
     * fire time. Skips older ones.
     *
     * @param max maximum number of waiting fires, from 1
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
     * Cancels the current run, whose outcome is {@link ItemOutcome#CANCELLED}, and then runs only the latest
     * overlapping fire. Runs no overlapping fire if another fire is on time at that moment. The run of a manual trigger
     * is not cancelled.
     */
    record CancelRunning() implements OverlapPolicy {}

    /**
     * Parses a policy from text, such as the value of a property.
     *
     * @param text {@code skip}, {@code coalesce}, {@code queue(n)} or {@code cancel-running}; case, hyphens and
     *     underscores are ignored
     * @throws IllegalArgumentException if the text is not the name of a policy
     */
    static OverlapPolicy of(String text) {
        PolicyText policy = PolicyText.parse(text);
        return switch (policy.name()) {
            case "skip" -> skip();
            case "coalesce" -> coalesce();
            case "queue(n)" -> queue(policy.number());
            case "cancelrunning" -> cancelRunning();
            default ->
                throw PolicyText.refused("overlap", text, "skip, coalesce, queue(n) with a number, or cancel-running");
        };
    }

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
