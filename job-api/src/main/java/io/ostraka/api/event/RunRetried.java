package io.ostraka.api.event;

import java.time.Instant;

/**
 * A run is retried: the job's code failed, the pause has passed, and the code starts again under the same claim.
 *
 * @param claim the claim
 * @param attempt number of the attempt that starts now
 * @param at start of this attempt
 */
public record RunRetried(Claim claim, int attempt, Instant at) implements RunEvent {}
