package io.ostraka.api.event;

import java.time.Instant;

/**
 * An instance has claimed a fire of an item. Its code starts next.
 *
 * @param claim the claim
 * @param cursorBefore latest scheduled fire of the item that was decided before the claim; {@link Claim#cursor} differs from it
 *     if the claim left fires out, and a {@link FiresSkipped} for each reason came before this event
 * @param misfired true if the fire is late and runs because of the job's misfire policy
 * @param at time at which this instance knew that the claim was made
 */
public record ItemClaimed(Claim claim, Instant cursorBefore, boolean misfired, Instant at) implements RunEvent {}
