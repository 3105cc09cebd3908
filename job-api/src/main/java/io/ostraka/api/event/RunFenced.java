package io.ostraka.api.event;

import java.time.Instant;

/**
 * A run counts for nothing, because its item belongs to another instance now. Stores that check the fencing token refuse its
 * writes. The code may still be running.
 *
 * @param claim the claim of the run
 * @param reason short text for people
 * @param at time at which this instance learnt it
 */
public record RunFenced(Claim claim, String reason, Instant at) implements RunEvent {}
