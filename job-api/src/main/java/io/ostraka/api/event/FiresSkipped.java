package io.ostraka.api.event;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Fires of one item were skipped for one reason.
 *
 * @param job name of the job
 * @param item key of the item
 * @param incarnation number of the item's set of records
 * @param runId identity of a triggered fire; null for scheduled fires
 * @param from first skipped fire
 * @param to last skipped fire
 * @param count number of fires, from 1; the engine stops counting at a limit, so 1,000 or more can mean that many or
 *     more
 * @param reason reason of the skip
 * @param cursorBefore latest scheduled fire of the item that was decided before; null for a triggered fire
 * @param cursor latest scheduled fire of the item that is decided now; null for a triggered fire
 * @param instanceId id of the instance that decided it: the owner, or the leader
 * @param at time of the event
 */
public record FiresSkipped(
        String job,
        String item,
        long incarnation,
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
