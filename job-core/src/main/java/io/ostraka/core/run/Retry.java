package io.ostraka.core.run;

import io.ostraka.api.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/** Decides whether a failed attempt is retried, and after which pause. Has no state and no side effects. */
final class Retry {
    private Retry() {}

    /**
     * Returns the pause before the next attempt; empty if there is no further attempt.
     *
     * @param attempt number of the failed attempt, from 1; attempts before a hand-over count as well
     * @param ending true if the run was stopped, or its instance may have lost the item
     * @param nonce nonce (unique value) of the claim; it determines the random part of the pause
     */
    static Optional<Duration> pause(RetryPolicy policy, int attempt, boolean ending, String nonce) {
        if (ending || attempt >= policy.attempts()) {
            return Optional.empty();
        }
        double chance = new SplittableRandom(31L * nonce.hashCode() + attempt).nextDouble();
        return Optional.of(policy.pause(attempt, chance));
    }
}
