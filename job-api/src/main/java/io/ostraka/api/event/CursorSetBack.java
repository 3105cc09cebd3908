package io.ostraka.api.event;

import java.time.Instant;

/**
 * An operator has set back the cursor of an item through this instance, because the cursor was in the future. Fires
 * between the new and the former cursor become due again at their times. Neither a repeated command nor a command whose
 * reply was lost causes an event.
 *
 * @param job name of the job
 * @param item key of the item
 * @param incarnation number of the job's set of item records; see {@link Claim}
 * @param runNumber number of the item's last claim before the command; 0 if it has never run
 * @param from the former cursor
 * @param to the new cursor
 * @param actor name of the person or program that gave the command
 * @param reason reason for the command; empty if none was given
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record CursorSetBack(
        String job,
        String item,
        long incarnation,
        long runNumber,
        Instant from,
        Instant to,
        String actor,
        String reason,
        String instanceId,
        Instant at)
        implements JobEvent {}
