package io.ostraka.api.event;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One or more fires of an item were skipped, all for the same reason. If an item skips fires for several reasons at
 * once, there is an event for each reason, and the cursors of these events follow each other without a gap.
 *
 * @param job name of the job
 * @param item key of the item
 * @param incarnation number of the job's set of item records; see {@link Claim}
 * @param opened cursor of the item at the beginning of this incarnation; see {@link Claim}. Null for a triggered fire,
 *     or if unknown
 * @param runId identity of a triggered fire; null for scheduled fires
 * @param from first skipped fire
 * @param to last skipped fire
 * @param count number of skipped fires, from 1. If the value is 1,000 or more, even more fires may have been skipped,
 *     because the engine stops counting at 1,000 or soon after
 * @param reason reason why the fires were skipped
 * @param cursorBefore latest scheduled fire that the item had completed or skipped before this skip; null for a
 *     triggered fire
 * @param cursor latest scheduled fire that the item has completed or skipped, including this skip; null for a triggered
 *     fire
 * @param instanceId id of the instance that skipped the fires: the owner of the item, or the leader
 * @param at time of the event
 */
public record FiresSkipped(
        String job,
        String item,
        long incarnation,
        @Nullable Instant opened,
        @Nullable String runId,
        Instant from,
        Instant to,
        long count,
        SkipReason reason,
        @Nullable Instant cursorBefore,
        @Nullable Instant cursor,
        String instanceId,
        Instant at)
        implements JobEvent {}
