package io.ostraka.history.jdbc;

import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.Skipped;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last rows of an item before a range of fires.
 *
 * @param item key of the item
 * @param incarnation number of the job's set of item records
 * @param last last row that ends at or before the beginning of the range; null if there is none
 * @param claims at most two claims of fires before the beginning of the range: the last claim that moved the cursor,
 *     and the last claim of all
 * @param across rows of skipped fires that begin before the range, and whose cursor ends in it or after it
 */
public record ItemStart(
        String item, long incarnation, @Nullable Tile last, List<ClaimReport> claims, List<Skipped> across) {
    /**
     * Part of the time line of an item.
     *
     * @param opened latest scheduled fire that counted as completed or skipped when the item's record became part of
     *     this set; null if the rows do not show it
     * @param cursorBefore latest scheduled fire that the item had completed or skipped before
     * @param cursorAfter latest scheduled fire that the item had completed or skipped afterwards
     */
    public record Tile(@Nullable Instant opened, Instant cursorBefore, Instant cursorAfter) {}

    /** Copies the rows. */
    public ItemStart {
        claims = List.copyOf(claims);
        across = List.copyOf(across);
    }
}
