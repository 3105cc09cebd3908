package io.ostraka.history;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fates of the fires of a job in a period, item by item. Immutable.
 *
 * @param job name of the job
 * @param from start of the period, exclusive
 * @param to end of the period, inclusive
 * @param refusal reason why the job has no account in this period, for people; null if it has one
 * @param entries entries sorted by item and time; empty if there is a refusal. Entries of the same item do not overlap,
 *     with three exceptions: an operator has set back a cursor; a fire ran under two item counts; and rows of runs are
 *     missing that did not move the cursor
 */
public record Account(String job, Instant from, Instant to, @Nullable String refusal, List<Entry> entries) {
    /** Copies the entries. */
    public Account {
        entries = List.copyOf(entries);
    }

    /** Fates of fires. */
    public enum State {
        /** The fire ran to its end, with any outcome. */
        RUN,
        /** The fires were skipped, for a known reason. */
        SKIPPED,
        /** The fire began, its instance died or shut down, and it did not run again. */
        INTERRUPTED,
        /** It is not decided yet whether the fires will run, or the fire is still running. */
        OPEN,
        /**
         * The history does not know the fate. If a row was lost with its disk, the gap remains; if the row is still in
         * a spool, the gap is filled later. A row of a later version of the library also has this state if it contains
         * values that this version does not know.
         */
        UNKNOWN
    }

    /**
     * Fires of one item with the same fate.
     *
     * @param item key of the item
     * @param incarnation number of the job's set of item records
     * @param state fate of the fires
     * @param from start of the range, exclusive; but inclusive if it is equal to {@code to}
     * @param to end of the range, inclusive
     * @param count number of fires. For UNKNOWN, the number of runs whose rows are missing, as far as the run numbers
     *     show it. Always 0 for OPEN, because the number is not known yet
     * @param reason reason of skipped fires: name of a {@link io.ostraka.api.SkipReason}, or of one that a later
     *     version of the library has added; null for the other states
     * @param runId identity of the fire; null if the entry does not concern a single fire that began
     * @param outcome outcome of the run; null if there was none
     */
    public record Entry(
            String item,
            long incarnation,
            State state,
            Instant from,
            Instant to,
            long count,
            @Nullable String reason,
            @Nullable String runId,
            @Nullable String outcome) {}

    /** Returns whether the history knows the fate of every fire in the period. */
    public boolean complete() {
        return refusal == null && entries.stream().noneMatch(entry -> entry.state() == State.UNKNOWN);
    }
}
