package io.ostraka.api.event;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;

/**
 * A claim was interrupted, and another instance has recorded that the fire does not run again. For example, failover is
 * off for the job, too many instances have died while they ran the fire, or an operator has stopped the fire.
 *
 * @param claim the interrupted claim
 * @param outcome outcome in the item's record: {@link ItemOutcome#INTERRUPTED}, {@link ItemOutcome#CRASHED}, or {@link
 *     ItemOutcome#CANCELLED} for a stopped fire
 * @param instanceId id of the instance that recorded the outcome
 * @param at time at which that instance learnt that the outcome was recorded
 */
public record RunLost(Claim claim, ItemOutcome outcome, String instanceId, Instant at) implements RunEvent {}
