package io.ostraka.api.event;

import java.time.Instant;

/**
 * Through this instance, an operator has set back the cursor of an item. The cursor was in the future. Fires between the
 * two cursors are due again at their times.
 *
 * @param job name of the job
 * @param item key of the item
 * @param from the former cursor
 * @param to the new cursor
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record CursorSetBack(String job, String item, Instant from, Instant to, String instanceId, Instant at)
        implements JobEvent {}
