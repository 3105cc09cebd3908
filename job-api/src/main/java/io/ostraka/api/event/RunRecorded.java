package io.ostraka.api.event;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An instance has learnt of the end of a run from the record of the item. The instance that ran the item has usually
 * published a {@link RunEnded} event for the same claim. If that instance died before its subscribers received the
 * event, this event replaces it. Several instances may publish this event for the same claim, and one instance may
 * publish it more than once, so metrics should not count it.
 *
 * <p>A record contains the latest ends of the item's runs. An instance publishes this event when it reads a record with
 * an end that it does not know: when it becomes the owner of an item, after a restart, and after a lost reply. The
 * leader publishes it before it deletes or retires a record, and before it rewrites a record for another item count.
 *
 * @param claim the claim
 * @param outcome outcome in the item's record
 * @param error beginning of the description of the failure, at most 500 bytes in JSON. Ends with {@code …} if the
 *     description was longer. Null if the run did not fail
 * @param cursor latest scheduled fire that the item had completed or skipped after this end
 * @param endedAt end of the run by the clock of the instance that recorded the end
 * @param instanceId id of the instance that has read the record
 * @param at time at which that instance published the event
 */
public record RunRecorded(
        Claim claim,
        ItemOutcome outcome,
        @Nullable String error,
        Instant cursor,
        Instant endedAt,
        String instanceId,
        Instant at)
        implements RunEvent {}
