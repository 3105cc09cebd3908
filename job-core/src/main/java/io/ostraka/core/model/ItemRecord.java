package io.ostraka.core.model;

import io.ostraka.api.ItemOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of one item: what was decided of its fires, and who runs what. Each write is a compare-and-set on its
 * node's version; the methods below are all the moves there are.
 *
 * @param state where it stands
 * @param cursor the latest scheduled fire decided: run, skipped, coalesced or interrupted
 * @param triggerCursor zxid of the latest trigger decided
 * @param incarnation of the plan that it belongs to
 * @param run the present run, or the last; null before the first
 * @param endedAt the owner's clock when the last run ended; null while it runs and before the first
 * @param outcome of the last run; null while it runs and before the first
 * @param error short text of the last failure; null when it did not fail
 * @param consecutiveFailures how many runs have failed since one succeeded
 * @param currentDelay the pause before the next run, where the schedule lets the runs decide on it; null otherwise, and
 *     for as long as none has
 * @param unrun what the latest decision left out; empty when nothing
 */
public record ItemRecord(
        ItemState state,
        Instant cursor,
        long triggerCursor,
        long incarnation,
        @Nullable Run run,
        @Nullable Instant endedAt,
        @Nullable ItemOutcome outcome,
        @Nullable String error,
        int consecutiveFailures,
        @Nullable Duration currentDelay,
        List<Unrun> unrun) {
    private static final int ERROR_LENGTH = 500;

    /** Refuses a running or handed-over item without a run. */
    public ItemRecord {
        unrun = List.copyOf(unrun);
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(cursor, "cursor");
        if ((state == ItemState.RUNNING || state == ItemState.HANDED_OVER) && run == null) {
            throw new IllegalArgumentException("item record is " + state + " without a run");
        }
        if (error != null && error.length() > ERROR_LENGTH) {
            error = error.substring(0, ERROR_LENGTH);
        }
    }

    /** Returns the record of an item that has never run. */
    public static ItemRecord fresh(Instant cursor, long triggerCursor, long incarnation) {
        return new ItemRecord(
                ItemState.IDLE, cursor, triggerCursor, incarnation, null, null, null, null, 0, null, List.of());
    }

    /** Returns the record of an item whose own was lost: nobody knows what became of its fires up to now. */
    public static ItemRecord lost(Instant now, long incarnation) {
        return new ItemRecord(
                ItemState.IDLE,
                now,
                0,
                incarnation,
                null,
                null,
                null,
                "the record was lost and is written anew; all fires up to its cursor count as decided",
                0,
                null,
                List.of());
    }

    /** Lets a quarantined item start again, with none of its failures counted. */
    public ItemRecord released() {
        return new ItemRecord(
                ItemState.IDLE,
                cursor,
                triggerCursor,
                incarnation,
                run,
                endedAt,
                outcome,
                error,
                0,
                currentDelay,
                unrun);
    }

    /** Returns the run that it must have in its state. */
    public Run requireRun() {
        return Objects.requireNonNull(run, "run");
    }

    /** Tells whether a claimed fire has not been completed; interrupted, if its owner is gone. */
    public boolean unfinished() {
        return state == ItemState.RUNNING || state == ItemState.HANDED_OVER;
    }

    /** Claims a fire; {@code cursor} and {@code unrun} say what was decided on the way to it. */
    public ItemRecord claimed(Run claim, Instant cursor, List<Unrun> unrun) {
        return new ItemRecord(
                ItemState.RUNNING,
                cursor,
                triggerCursor,
                incarnation,
                claim,
                null,
                null,
                null,
                consecutiveFailures,
                currentDelay,
                unrun);
    }

    /** Ends the present run. */
    public ItemRecord completed(Instant at, ItemOutcome outcome, @Nullable String error) {
        return ended(ItemState.IDLE, at, outcome, error);
    }

    /** Parks an item whose run has just ended as too many before it did; any other record is left as it is. */
    public ItemRecord quarantinedAfter(int failures) {
        return failures > 0 && state == ItemState.IDLE && consecutiveFailures >= failures
                ? rewritten(ItemState.QUARANTINED, cursor, triggerCursor, incarnation)
                : this;
    }

    /** Ends the present run as the last that its fire may kill, and parks the item. */
    public ItemRecord quarantined(Instant at, String error) {
        return ended(ItemState.QUARANTINED, at, ItemOutcome.CRASHED, error);
    }

    private ItemRecord ended(ItemState next, Instant at, ItemOutcome outcome, @Nullable String error) {
        Fire fire = requireRun().fire();
        int failures =
                switch (outcome) {
                    case SUCCEEDED -> 0;
                    case FAILED, TIMED_OUT, CRASHED -> consecutiveFailures + 1;
                    // nobody knows how it would have ended
                    case INTERRUPTED, CANCELLED, SKIPPED -> consecutiveFailures;
                };
        return new ItemRecord(
                next,
                fire.triggered() || fire.at().isBefore(cursor) ? cursor : fire.at(),
                Math.max(triggerCursor, fire.triggerZxid()),
                incarnation,
                requireRun().over(),
                at,
                outcome,
                error,
                failures,
                currentDelay,
                unrun);
    }

    /** Says how often the present run was tried. */
    public ItemRecord atAttempt(int attempt) {
        Run present = requireRun();
        return attempt == present.attempt()
                ? this
                : new ItemRecord(
                        state,
                        cursor,
                        triggerCursor,
                        incarnation,
                        present.atAttempt(attempt),
                        endedAt,
                        outcome,
                        error,
                        consecutiveFailures,
                        currentDelay,
                        unrun);
    }

    /** Says how long to pause before the next run. */
    public ItemRecord pausing(@Nullable Duration delay) {
        return new ItemRecord(
                state,
                cursor,
                triggerCursor,
                incarnation,
                run,
                endedAt,
                outcome,
                error,
                consecutiveFailures,
                delay,
                unrun);
    }

    /** Gives the present run up, unfinished, for whoever takes over. */
    public ItemRecord handedOver() {
        return new ItemRecord(
                ItemState.HANDED_OVER,
                cursor,
                triggerCursor,
                incarnation,
                run,
                null,
                null,
                null,
                consecutiveFailures,
                currentDelay,
                unrun);
    }

    /** Decides a trigger without running it. */
    public ItemRecord skipped(Fire trigger, SkipReason reason) {
        return new ItemRecord(
                state,
                cursor,
                Math.max(triggerCursor, trigger.triggerZxid()),
                incarnation,
                run,
                endedAt,
                outcome,
                error,
                consecutiveFailures,
                currentDelay,
                List.of(new Unrun(trigger.at(), trigger.at(), 1, reason)));
    }

    /** Says what was left out by a move that this record has just made. */
    public ItemRecord leavingOut(List<Unrun> fires) {
        return new ItemRecord(
                state,
                cursor,
                triggerCursor,
                incarnation,
                run,
                endedAt,
                outcome,
                error,
                consecutiveFailures,
                currentDelay,
                fires);
    }

    /** Moves to another incarnation of the plan, in a state that nothing runs in. */
    public ItemRecord rewritten(ItemState next, Instant cursor, long triggerCursor, long incarnation) {
        return new ItemRecord(
                next,
                cursor,
                triggerCursor,
                incarnation,
                run,
                endedAt,
                outcome,
                error,
                consecutiveFailures,
                currentDelay,
                unrun);
    }
}
