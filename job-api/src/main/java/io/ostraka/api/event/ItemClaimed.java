package io.ostraka.api.event;

import java.time.Instant;

/**
 * An instance has claimed a fire of an item. The job's code starts next.
 *
 * @param claim the claim
 * @param cursorBefore latest scheduled fire that the item had completed or skipped before the claim. If the claim
 *     skipped fires, this value differs from {@link Claim#cursor}, and a {@link FiresSkipped} event for each reason
 *     precedes this event
 * @param misfired true if the fire is late and runs because of the job's misfire policy
 * @param at time at which this instance learnt that the claim was made
 */
public record ItemClaimed(Claim claim, Instant cursorBefore, boolean misfired, Instant at) implements RunEvent {}
