package io.ostraka.api;

import java.time.Duration;

/**
 * How often the failed run of an item is tried again, and after which pauses. All tries belong to one claim: the item stays
 * with its instance, and the run's time limit counts for them together. Tries made before the item was handed over to
 * another instance count there too. Immutable.
 *
 * @param attempts how many tries there are in all, from 1
 * @param initial the pause after the first failure
 * @param factor what each further pause is multiplied by, from 1
 * @param max the longest pause
 * @param jitter which part of a pause is left to chance, from 0 to 1: with 0.2 a pause of 10 s takes 8 to 10 s
 */
public record RetryPolicy(int attempts, Duration initial, double factor, Duration max, double jitter) {
    private static final Duration INITIAL = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofMinutes(1);

    /** Refuses values outside of the ranges above. */
    public RetryPolicy {
        require(attempts >= 1, "attempts", attempts, "1 or more");
        require(!initial.isNegative() && initial.compareTo(max) <= 0, "initial pause", initial, "zero to " + max);
        require(factor >= 1 && factor <= 1_000, "factor", factor, "1 to 1000");
        require(max.compareTo(Schedule.LONGEST) <= 0, "longest pause", max, "at most " + Schedule.LONGEST);
        require(jitter >= 0 && jitter <= 1, "jitter", jitter, "0 to 1");
    }

    private static void require(boolean holds, String what, Object value, String accepted) {
        if (!holds) {
            throw new IllegalArgumentException("retry " + what + " is " + value + "; accepted: " + accepted);
        }
    }

    /** No second try; the default of a job. */
    public static RetryPolicy none() {
        return attempts(1);
    }

    /** So many tries in all, after pauses of 1 s, 2 s, 4 s and so on up to a minute, a fifth of each left to chance. */
    public static RetryPolicy attempts(int attempts) {
        return new RetryPolicy(attempts, INITIAL, 2, MAX, 0.2);
    }

    /** The same with other pauses. */
    public RetryPolicy backoff(Duration initial, double factor, Duration max) {
        return new RetryPolicy(attempts, initial, factor, max, jitter);
    }

    /** The same with another part of each pause left to chance. */
    public RetryPolicy jitter(double jitter) {
        return new RetryPolicy(attempts, initial, factor, max, jitter);
    }

    /**
     * Returns the pause before the next try.
     *
     * @param failures how many tries have failed, from 1
     * @param chance from 0 to 1; the larger, the shorter the pause
     */
    public Duration pause(int failures, double chance) {
        double full = Math.min(initial.toMillis() * Math.pow(factor, failures - 1.0), max.toMillis());
        return Duration.ofMillis(Math.round(full * (1 - jitter * chance)));
    }
}
