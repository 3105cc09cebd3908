package io.ostraka.history.row;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One or more fires that an item skipped, all for the same reason. A row without fires shows only cursors: that of a
 * new item, both cursors of an item that has advanced without a skipped fire, or, with the reason {@code REMOVED}, the
 * last cursor of an item that has ceased to exist. The first row with the same job, item,
 * incarnation, run id, first fire, reason and cursor before is kept.
 *
 * @param job name of the job
 * @param item key of the item
 * @param incarnation number of the job's set of item records
 * @param opened latest scheduled fire that counted as completed or skipped when the item's record became part of this
 *     set; null for a triggered fire, and if only a record of a later set has reported the fires
 * @param runId identity of a triggered fire; null for scheduled fires
 * @param from first of the fires
 * @param to last of the fires
 * @param count number of fires; 0 if the row shows only a cursor. If the value is 1,000 or more, it may be too small
 * @param reason reason why they were skipped: name of a {@link io.ostraka.api.SkipReason}, or of one that a later
 *     version of the library has added
 * @param cursorBefore latest scheduled fire that the item had completed or skipped before; null for a triggered fire.
 *     If fires were skipped together, but for different reasons, the cursors of their rows follow each other without a
 *     gap
 * @param cursorAfter latest scheduled fire that the item had completed or skipped afterwards; null for a triggered fire
 * @param instance id of the instance that skipped the fires
 * @param at time of the decision by that instance's clock
 * @param recorded true if the row is from a read of the item's record. The roll-ups do not count it, because the
 *     instance that skipped the fires has usually reported them as well. The table does not store this value
 */
public record Skipped(
        String job,
        String item,
        long incarnation,
        @Nullable Instant opened,
        @Nullable String runId,
        Instant from,
        Instant to,
        long count,
        String reason,
        @Nullable Instant cursorBefore,
        @Nullable Instant cursorAfter,
        String instance,
        Instant at,
        boolean recorded)
        implements Row {}
