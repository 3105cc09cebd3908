package io.ostraka.api.event;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The job's code starts for the first time under a claim.
 *
 * @param claim the claim
 * @param waited time from when this instance found the item due to the start: for a slot, for the claim's reply and for a thread
 * @param delay time from the scheduled instant, including the item's jitter, to the start; null for a triggered fire and for a
 *     fire that was taken over
 * @param at time of the start
 */
public record RunStarted(Claim claim, Duration waited, @Nullable Duration delay, Instant at) implements RunEvent {}
