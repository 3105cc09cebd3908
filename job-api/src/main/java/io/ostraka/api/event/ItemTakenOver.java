package io.ostraka.api.event;

import io.ostraka.api.FailoverReason;
import java.time.Instant;

/**
 * An instance runs an interrupted fire again, under a new claim. Published after the {@link ItemClaimed} event of the
 * new claim.
 *
 * @param claim the new claim
 * @param interrupted the interrupted claim, with its instance, its fencing token and its latest known attempt
 * @param reason reason for the takeover
 * @param at time at which this instance learnt that the new claim was made
 */
public record ItemTakenOver(Claim claim, Claim interrupted, FailoverReason reason, Instant at) implements RunEvent {}
