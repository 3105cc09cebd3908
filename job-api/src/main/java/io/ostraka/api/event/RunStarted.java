package io.ostraka.api.event;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The job's code starts for the first time under a claim.
 *
 * @param claim the claim
 * @param waited time until the code started, counted from the moment at which this instance found that the item was
 *     due. It includes the waits for a slot, for the reply to the claim and for a thread
 * @param delay time from the scheduled instant (plus the item's jitter) to the start of the code; null for a triggered
 *     fire and for a fire that was taken over
 * @param at time of the start
 */
public record RunStarted(Claim claim, Duration waited, @Nullable Duration delay, Instant at) implements RunEvent {}
