package io.ostraka.core.model;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
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
 * @param runTime how long runs take, smoothed; null before one has ended by itself
 * @param unrun what the latest decision left out; empty when nothing
 * @param decidedBy the instance whose latest decision that was, where it came to no run; null where it did (the run names
 *     its owner), where it was a leader's, and before the first
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
        @Nullable Duration runTime,
        List<Unrun> unrun,
        @Nullable String decidedBy) {
    private static final int ERROR_BYTES = 500;
    /** A run counts a quarter of the run time, those before it the rest. */
    private static final int EARLIER_RUNS = 3;

    /** Refuses a running or handed-over item without a run. */
    public ItemRecord {
        unrun = List.copyOf(unrun);
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(cursor, "cursor");
        if ((state == ItemState.RUNNING || state == ItemState.HANDED_OVER) && run == null) {
            throw new IllegalArgumentException("item record is " + state + " without a run");
        }
        if (error != null) {
            error = shortened(error);
        }
    }

    /** Returns the record of an item that has never run. */
    public static ItemRecord fresh(Instant cursor, long triggerCursor, long incarnation) {
        return new ItemRecord(
                ItemState.IDLE,
                cursor,
                triggerCursor,
                incarnation,
                null,
                null,
                null,
                null,
                0,
                null,
                null,
                List.of(),
                null);
    }

    /** Returns the record of an item whose own was lost: nobody knows what became of its fires up to now. */
    public static ItemRecord lost(Instant now, long incarnation) {
        return fresh(now, 0, incarnation)
                .with(next -> next.error =
                        "the record was lost and is written anew; all fires up to its cursor count as decided");
    }

    /** Lets a quarantined item start again, with none of its failures counted. */
    public ItemRecord released() {
        return with(next -> {
            next.state = ItemState.IDLE;
            next.consecutiveFailures = 0;
        });
    }

    /** Returns the run that it must have in its state. */
    public Run requireRun() {
        return Objects.requireNonNull(run, "run");
    }

    /** Tells whether a claimed fire has not been completed; interrupted, if its owner is gone. */
    public boolean unfinished() {
        return state == ItemState.RUNNING || state == ItemState.HANDED_OVER;
    }

    /**
     * Returns the latest fire that was decided and isn't running any more. A trigger counts once it has ended: until then
     * the cursor tells of the fire before it.
     */
    public Instant lastFire() {
        if (run == null || unfinished() || !run.fire().triggered()) {
            return cursor;
        }
        Instant trigger = run.fire().at();
        return trigger.isAfter(cursor) ? trigger : cursor;
    }

    /** Claims a fire; {@code cursor} and {@code unrun} say what was decided on the way to it. */
    public ItemRecord claimed(Run claim, Instant cursor, List<Unrun> unrun) {
        return with(next -> {
            next.open(ItemState.RUNNING);
            next.cursor = cursor;
            next.run = claim;
            next.unrun = unrun;
            next.decidedBy = null;
        });
    }

    /** Ends the present run. */
    public ItemRecord completed(Instant at, ItemOutcome outcome, @Nullable String error) {
        return ended(ItemState.IDLE, at, outcome, error);
    }

    /** Parks an item whose run has just failed as too many before it did; any other record is left as it is. */
    public ItemRecord quarantinedAfter(int failures) {
        boolean failed = outcome == ItemOutcome.FAILED || outcome == ItemOutcome.TIMED_OUT;
        return failed && failures > 0 && state == ItemState.IDLE && consecutiveFailures >= failures
                ? with(next -> next.state = ItemState.QUARANTINED)
                : this;
    }

    /** Ends the present run as the last that its fire may kill, and parks the item. */
    public ItemRecord quarantined(Instant at, String error) {
        return ended(ItemState.QUARANTINED, at, ItemOutcome.CRASHED, error);
    }

    private ItemRecord ended(ItemState state, Instant at, ItemOutcome outcome, @Nullable String error) {
        Run present = requireRun();
        Fire fire = present.fire();
        return with(next -> {
            next.state = state;
            next.cursor = cursorAtEnd();
            next.triggerCursor = Math.max(triggerCursor, fire.triggerZxid());
            next.run = present.ended();
            next.endedAt = at;
            next.outcome = outcome;
            next.error = error;
            next.consecutiveFailures = switch (outcome) {
                case SUCCEEDED -> 0;
                case FAILED, TIMED_OUT, CRASHED -> consecutiveFailures + 1;
                // nobody knows how it would have ended
                case INTERRUPTED, CANCELLED, SKIPPED -> consecutiveFailures;
            };
            next.runTime = switch (outcome) {
                case SUCCEEDED, FAILED, TIMED_OUT -> smoothed(Duration.between(present.startedAt(), at));
                case CRASHED, INTERRUPTED, CANCELLED, SKIPPED -> runTime;
            };
        });
    }

    private @Nullable Duration smoothed(Duration took) {
        if (took.isNegative()) { // its owner's clock was set back
            return runTime;
        }
        Duration mean = runTime == null
                ? took
                : runTime.multipliedBy(EARLIER_RUNS).plus(took).dividedBy(EARLIER_RUNS + 1L);
        return mean.truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns the record once the code of the present run has returned, before its end is decided. */
    public ItemRecord returned(int attempt, long fencingToken) {
        Run present = requireRun();
        return with(next -> next.run = present.returned(attempt, fencingToken));
    }

    /** Returns the number that the next claim has. */
    public long nextRunNumber() {
        return run == null ? 1 : run.number() + 1;
    }

    /**
     * Returns the identity of the present claim, or of the last, for events.
     *
     * @param mzxid the transaction that wrote this record; while the claim is running its fencing token follows from that
     */
    public Claim claim(String job, String item, long mzxid) {
        Run claim = requireRun();
        Fire fire = claim.fire();
        return new Claim(
                job,
                item,
                incarnation,
                fire.runId(job),
                fire.at(),
                fire.triggered(),
                claim.total(),
                claim.attempt(),
                claim.number(),
                claim.nonce(),
                state == ItemState.RUNNING ? Token.pack(claim.fenceEpoch(), mzxid) : claim.token(),
                cursor,
                claim.owner(),
                claim.startedAt());
    }

    /** Returns the cursor that the record has once the present run has ended. */
    public Instant cursorAtEnd() {
        Fire fire = requireRun().fire();
        return !fire.triggered() && fire.at().isAfter(cursor) ? fire.at() : cursor;
    }

    /** Returns a failure's text as records keep it. */
    public static String shortened(String error) {
        return Names.excerpt(error, ERROR_BYTES);
    }

    /** Says how long to pause before the next run. */
    public ItemRecord pausing(@Nullable Duration delay) {
        return with(next -> next.currentDelay = delay);
    }

    /** Gives the present run up, unfinished, for whoever takes over. */
    public ItemRecord handedOver() {
        return with(next -> next.open(ItemState.HANDED_OVER));
    }

    /** Decides a trigger without running it. */
    public ItemRecord skipped(Fire trigger, SkipReason reason) {
        return with(next -> {
            next.triggerCursor = Math.max(triggerCursor, trigger.triggerZxid());
            next.unrun = List.of(new Unrun(trigger.at(), trigger.at(), 1, reason));
        });
    }

    /** Decides scheduled fires, up to and with the latest of them, without running any. */
    public ItemRecord leftOut(Instant latest, List<Unrun> fires) {
        return with(next -> {
            next.cursor = latest;
            next.unrun = fires;
        });
    }

    /** Says whose move without a run has just made this record: two may come to the same, and one of them has written it. */
    public ItemRecord decidedBy(String instanceId) {
        return with(next -> next.decidedBy = instanceId);
    }

    /** Says what was left out by a leader's move that this record has just made. */
    public ItemRecord leavingOut(List<Unrun> fires) {
        return with(next -> {
            next.unrun = fires;
            next.decidedBy = null;
        });
    }

    /** Moves to another incarnation of the plan, in a state that nothing runs in. */
    public ItemRecord rewritten(ItemState state, Instant cursor, long triggerCursor, long incarnation) {
        return with(next -> {
            if (next.state == ItemState.RETIRED) {
                next.consecutiveFailures = 0; // what comes back begins anew
                next.currentDelay = null;
            }
            next.state = state;
            next.cursor = cursor;
            next.triggerCursor = triggerCursor;
            next.incarnation = incarnation;
        });
    }

    private ItemRecord with(Consumer<Draft> move) {
        Draft next = new Draft(this);
        move.accept(next);
        return new ItemRecord(
                next.state,
                next.cursor,
                next.triggerCursor,
                next.incarnation,
                next.run,
                next.endedAt,
                next.outcome,
                next.error,
                next.consecutiveFailures,
                next.currentDelay,
                next.runTime,
                next.unrun,
                next.decidedBy);
    }

    /** A record on its way to the next. */
    private static final class Draft {
        ItemState state;
        Instant cursor;
        long triggerCursor;
        long incarnation;

        @Nullable Run run;

        @Nullable Instant endedAt;

        @Nullable ItemOutcome outcome;

        @Nullable String error;

        int consecutiveFailures;

        @Nullable Duration currentDelay;

        @Nullable Duration runTime;

        List<Unrun> unrun;

        @Nullable String decidedBy;

        Draft(ItemRecord from) {
            this.state = from.state;
            this.cursor = from.cursor;
            this.triggerCursor = from.triggerCursor;
            this.incarnation = from.incarnation;
            this.run = from.run;
            this.endedAt = from.endedAt;
            this.outcome = from.outcome;
            this.error = from.error;
            this.consecutiveFailures = from.consecutiveFailures;
            this.currentDelay = from.currentDelay;
            this.runTime = from.runTime;
            this.unrun = from.unrun;
            this.decidedBy = from.decidedBy;
        }

        /** Its run has not ended. */
        void open(ItemState unfinished) {
            state = unfinished;
            endedAt = null;
            outcome = null;
            error = null;
        }
    }
}
