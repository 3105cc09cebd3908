package io.ostraka.api.event;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;

/**
 * A claim did not end, and another instance has decided that its fire does not run again: failover is off for the job, or too
 * many instances have died running the fire.
 *
 * @param claim the claim that did not end
 * @param outcome outcome that the item's record has now: {@link ItemOutcome#INTERRUPTED} or {@link ItemOutcome#CRASHED}
 * @param instanceId id of the instance that decided it
 * @param at time at which that instance knew of its decision
 */
public record RunLost(Claim claim, ItemOutcome outcome, String instanceId, Instant at) implements RunEvent {}
