package io.ostraka.api.event;

import io.ostraka.api.FailoverReason;
import java.time.Instant;

/**
 * An instance runs a fire again that began under another claim. Published after the {@link ItemClaimed} of the new
 * claim.
 *
 * @param claim the new claim
 * @param interrupted the claim that did not end: its instance, its fencing token and its latest known attempt
 * @param reason reason for which that claim did not end
 * @param at time at which this instance knew that the new claim was made
 */
public record ItemTakenOver(Claim claim, Claim interrupted, FailoverReason reason, Instant at) implements RunEvent {}
