package io.ostraka.api.event;

import java.time.Instant;

/**
 * The job's code failed, the pause has passed, and the code starts again under the same claim.
 *
 * @param claim the claim
 * @param attempt number of the attempt that starts now
 * @param at time of its start
 */
public record RunRetried(Claim claim, int attempt, Instant at) implements RunEvent {}
