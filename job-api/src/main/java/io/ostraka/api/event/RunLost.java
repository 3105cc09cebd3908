package io.ostraka.api.event;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;

/**
 * A claim did not end, and another instance has decided that its fire does not run again: failover is off for the job,
 * or too many instances have died while they ran the fire.
 *
 * @param claim the claim that did not end
 * @param outcome outcome in the item's record: {@link ItemOutcome#INTERRUPTED} or {@link ItemOutcome#CRASHED}
 * @param instanceId id of the instance that decided it
 * @param at time at which that instance knew that its decision was recorded
 */
public record RunLost(Claim claim, ItemOutcome outcome, String instanceId, Instant at) implements RunEvent {}
