package io.ostraka.api;

import java.time.Duration;

/**
 * Defines how many attempts an item gets within one fire if it fails, and the pauses between these attempts. The item
 * stays with its instance between attempts, and one time limit covers all attempts of the run. If another instance
 * takes over the fire, it makes only the remaining attempts. Immutable.
 *
 * @param attempts maximum number of attempts, including the first, from 1
 * @param initial pause after the first failure
 * @param factor multiplier for each further pause, from 1 to 1000
 * @param max longest pause
 * @param jitter random part of each pause, from 0 to 1: with 0.2, a pause of 10 s is shortened to a random length of 8
 *     to 10 s
 */
public record RetryPolicy(int attempts, Duration initial, double factor, Duration max, double jitter) {
    private static final Duration INITIAL = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofMinutes(1);

    /**
     * Checks all values.
     *
     * @throws IllegalArgumentException if a value is outside its range
     */
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

    /** Returns a policy without retries; the default of a job. */
    public static RetryPolicy none() {
        return attempts(1);
    }

    /**
     * Returns a policy with the given number of attempts and pauses of 1 s, 2 s, 4 s and so on, up to a minute. Each
     * pause is shortened at random by up to a fifth.
     *
     * @param attempts maximum number of attempts, including the first, from 1
     */
    public static RetryPolicy attempts(int attempts) {
        return new RetryPolicy(attempts, INITIAL, 2, MAX, 0.2);
    }

    /**
     * Returns this policy with the given pauses.
     *
     * @param initial pause after the first failure
     * @param factor multiplier for each further pause, from 1 to 1000
     * @param max longest pause
     */
    public RetryPolicy backoff(Duration initial, double factor, Duration max) {
        return new RetryPolicy(attempts, initial, factor, max, jitter);
    }

    /**
     * Returns this policy with the given random part of each pause.
     *
     * @param jitter random part, from 0 to 1: with 0.2, a pause of 10 s is shortened to a random length of 8 to 10 s
     */
    public RetryPolicy jitter(double jitter) {
        return new RetryPolicy(attempts, initial, factor, max, jitter);
    }

    /**
     * Returns the pause before the next attempt.
     *
     * @param failures number of failed attempts so far, from 1
     * @param chance random number from 0 to 1; a larger number leads to a shorter pause
     */
    public Duration pause(int failures, double chance) {
        double full = Math.min(initial.toMillis() * Math.pow(factor, failures - 1.0), max.toMillis());
        return Duration.ofMillis(Math.round(full * (1 - jitter * chance)));
    }
}
