package io.ostraka.api.event;

import java.time.Instant;

/**
 * A run has no effect on its item, because another instance owns the item now. Stores that check the fencing token
 * refuse the writes of this run. Its code may still be running.
 *
 * @param claim the claim of the run
 * @param reason short text for people
 * @param at time at which this instance learnt it
 */
public record RunFenced(Claim claim, String reason, Instant at) implements RunEvent {}
