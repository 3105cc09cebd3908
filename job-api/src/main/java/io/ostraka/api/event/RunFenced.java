package io.ostraka.api.event;

import java.time.Instant;

/**
 * A run has lost its item, because another instance owns the item now. The end of the run is not recorded, and stores
 * that check the fencing token refuse its writes. The code of the run may still be running.
 *
 * @param claim the claim of the run
 * @param reason short description for people
 * @param at time at which this instance learnt of the loss
 */
public record RunFenced(Claim claim, String reason, Instant at) implements RunEvent {}
