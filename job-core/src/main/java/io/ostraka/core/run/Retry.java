package io.ostraka.core.run;

import io.ostraka.api.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/** Decides whether a failed attempt of a run is retried, and after which pause. Pure. */
final class Retry {
    private Retry() {}

    /**
     * Returns the pause before the next attempt; empty if the run ends with this failure.
     *
     * @param attempt number of the failed attempt, from 1; attempts before a hand-over count
     * @param ending whether the run was stopped, or its instance may have lost the item
     * @param nonce nonce of the claim, which decides the random part of the pause
     */
    static Optional<Duration> pause(RetryPolicy policy, int attempt, boolean ending, String nonce) {
        if (ending || attempt >= policy.attempts()) {
            return Optional.empty();
        }
        double chance = new SplittableRandom(31L * nonce.hashCode() + attempt).nextDouble();
        return Optional.of(policy.pause(attempt, chance));
    }
}
