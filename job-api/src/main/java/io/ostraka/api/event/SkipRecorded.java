package io.ostraka.api.event;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An instance has learnt from the record of an item that scheduled fires were skipped, or that the cursor of the item
 * has advanced without a skipped fire. The instance that skipped the
 * fires has usually published the same skip as {@link FiresSkipped}. If that instance died before its subscribers
 * received the event, this event replaces it. Several instances may publish this event for the same skip, so metrics
 * should not count it.
 *
 * <p>An instance publishes this event in the same situations as {@link RunRecorded}. The leader also publishes it when it
 * has written the record of a new item.
 *
 * @param job name of the job
 * @param item key of the item
 * @param incarnation number of the job's set of item records; see {@link Claim}
 * @param opened cursor of the item at the beginning of this incarnation; see {@link Claim}. Null if unknown
 * @param from first skipped fire; the cursor if no fire was skipped
 * @param to last skipped fire; the cursor if no fire was skipped
 * @param count number of skipped fires; see {@link FiresSkipped}. 0 if no fire was skipped: a change of the items has
 *     moved the cursor, the item is new, or it ceases to exist. In the latter two cases, both cursors are equal
 * @param reason reason why the fires were skipped
 * @param cursorBefore latest scheduled fire that the item had completed or skipped before this skip
 * @param cursor latest scheduled fire that the item had completed or skipped after this skip
 * @param instanceId id of the instance that has read the record
 * @param at time at which that instance published the event
 */
public record SkipRecorded(
        String job,
        String item,
        long incarnation,
        @Nullable Instant opened,
        Instant from,
        Instant to,
        long count,
        SkipReason reason,
        Instant cursorBefore,
        Instant cursor,
        String instanceId,
        Instant at)
        implements JobEvent {}
