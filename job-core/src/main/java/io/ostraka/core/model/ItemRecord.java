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
 * Record of one item: its decided fires and its present or last run. Each write is a compare-and-set on the node's version;
 * the methods below are the only changes.
 *
 * @param state state of the item
 * @param cursor the latest scheduled fire decided: run, skipped, coalesced or interrupted
 * @param triggerCursor zxid of the latest trigger decided
 * @param incarnation incarnation of the plan that the record belongs to
 * @param run the present or the last run; null before the first
 * @param endedAt end of the last run on its owner's clock; null while it runs and before the first
 * @param outcome outcome of the last run; null while it runs and before the first
 * @param error short text of the last failure; null if the last run did not fail
 * @param consecutiveFailures number of failed runs since the last success
 * @param currentDelay pause before the next run, for schedules whose pause depends on runs; otherwise null, and null until a
 *     run has set it
 * @param runTime smoothed duration of runs; null before a run has ended by itself
 * @param unrun fires that the latest decision skipped
 * @param decidedBy instance that made the latest decision without a run; null after a run (which names its owner), after a
 *     decision of the leader, and before the first
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
    /** Weight of earlier runs in the run time; the latest run has a weight of one. */
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

    /** Returns the record of an item with a lost record: the outcomes of its fires up to now are unknown. */
    public static ItemRecord lost(Instant now, long incarnation) {
        return fresh(now, 0, incarnation)
                .with(next -> next.error =
                        "the record was lost and a new one was written; all fires up to its cursor count as decided");
    }

    /** Returns the record of a released item, with its failures reset. */
    public ItemRecord released() {
        return with(next -> {
            next.state = ItemState.IDLE;
            next.consecutiveFailures = 0;
        });
    }

    /** Returns the run of a record in a state that has one. */
    public Run requireRun() {
        return Objects.requireNonNull(run, "run");
    }

    /** Returns whether a claimed fire has not been completed; it is interrupted if its owner has gone. */
    public boolean unfinished() {
        return state == ItemState.RUNNING || state == ItemState.HANDED_OVER;
    }

    /**
     * Returns the latest fire that was decided and no longer runs. A trigger counts once it has ended; until then the fire
     * before it is returned.
     */
    public Instant lastFire() {
        if (run == null || unfinished() || !run.fire().triggered()) {
            return cursor;
        }
        Instant trigger = run.fire().at();
        return trigger.isAfter(cursor) ? trigger : cursor;
    }

    /** Claims a fire; {@code cursor} and {@code unrun} record the fires decided with the claim. */
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

    /**
     * Quarantines an item after its last run failed, if that many runs have failed in a row; otherwise returns the same
     * record.
     */
    public ItemRecord quarantinedAfter(int failures) {
        boolean failed = outcome == ItemOutcome.FAILED || outcome == ItemOutcome.TIMED_OUT;
        return failed && failures > 0 && state == ItemState.IDLE && consecutiveFailures >= failures
                ? with(next -> next.state = ItemState.QUARANTINED)
                : this;
    }

    /** Ends the present run as crashed, and quarantines the item. */
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
                // the result of the run is unknown
                case INTERRUPTED, CANCELLED, SKIPPED -> consecutiveFailures;
            };
            next.runTime = switch (outcome) {
                case SUCCEEDED, FAILED, TIMED_OUT -> smoothed(Duration.between(present.startedAt(), at));
                case CRASHED, INTERRUPTED, CANCELLED, SKIPPED -> runTime;
            };
        });
    }

    private @Nullable Duration smoothed(Duration took) {
        if (took.isNegative()) { // the owner's clock was set back
            return runTime;
        }
        Duration mean = runTime == null
                ? took
                : runTime.multipliedBy(EARLIER_RUNS).plus(took).dividedBy(EARLIER_RUNS + 1L);
        return mean.truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns the record after the code of the present run has returned, before its end is decided. */
    public ItemRecord returned(int attempt, long fencingToken) {
        Run present = requireRun();
        return with(next -> next.run = present.returned(attempt, fencingToken));
    }

    /** Returns the number of the next claim. */
    public long nextRunNumber() {
        return run == null ? 1 : run.number() + 1;
    }

    /**
     * Returns the identity of the present or the last claim, for events.
     *
     * @param mzxid transaction that wrote this record; it gives the fencing token of a running claim
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

    /** Returns the cursor after the end of the present run. */
    public Instant cursorAtEnd() {
        Fire fire = requireRun().fire();
        return !fire.triggered() && fire.at().isAfter(cursor) ? fire.at() : cursor;
    }

    /** Returns the text of a failure, shortened for records. */
    public static String shortened(String error) {
        return Names.excerpt(error, ERROR_BYTES);
    }

    /** Sets the pause before the next run. */
    public ItemRecord pausing(@Nullable Duration delay) {
        return with(next -> next.currentDelay = delay);
    }

    /** Hands over the present run, unfinished. */
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

    /** Decides scheduled fires without running any, up to and including the latest of them. */
    public ItemRecord leftOut(Instant latest, List<Unrun> fires) {
        return with(next -> {
            next.cursor = latest;
            next.unrun = fires;
        });
    }

    /** Records the instance that decided without a run: two instances may decide the same, and only one has written it. */
    public ItemRecord decidedBy(String instanceId) {
        return with(next -> next.decidedBy = instanceId);
    }

    /** Sets the fires that a decision of the leader skips. */
    public ItemRecord leavingOut(List<Unrun> fires) {
        return with(next -> {
            next.unrun = fires;
            next.decidedBy = null;
        });
    }

    /** Moves the record to another incarnation of the plan, in a state without a run. */
    public ItemRecord rewritten(ItemState state, Instant cursor, long triggerCursor, long incarnation) {
        return with(next -> {
            if (next.state == ItemState.RETIRED) {
                next.consecutiveFailures = 0; // a retired item that returns begins anew
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

    /** Mutable copy of a record. */
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

        /** Sets the state of an unfinished run. */
        void open(ItemState unfinished) {
            state = unfinished;
            endedAt = null;
            outcome = null;
            error = null;
        }
    }
}
