package io.ostraka.core.model;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Content of an item's node: the item's current or last run, and the fires that the item no longer has to run. These
 * fires are called decided: each was skipped, or its run has ended. Each write is a compare-and-set on the node's
 * version. Only the methods below create changed records.
 *
 * @param state state of the item
 * @param cursor time of the latest decided scheduled fire. All fires up to the cursor have been completed, skipped,
 *     coalesced or interrupted
 * @param triggerCursor zxid (transaction number) of the latest decided trigger
 * @param incarnation number of the set of item records, see {@link ShardingPlan}. Only records with the plan's
 *     incarnation can be claimed
 * @param run the current run or, if the item does not run, the last one; null before the first run
 * @param endedAt end of the last run on its owner's clock; null during a run and before the first run
 * @param outcome outcome of the last run; null during a run and before the first run
 * @param error short description of the last failure; null if the last run did not fail
 * @param consecutiveFailures number of failed runs since the last success
 * @param currentDelay pause before the next run, if the schedule adapts the pause to the results of runs. Null for
 *     other schedules, and until a run has set it
 * @param runTime moving average of the duration of runs; null until a run has succeeded, failed or timed out
 * @param skipped fires that were skipped by the latest claim, or by a later write that skipped fires
 * @param decidedBy instance that skipped the fires in {@code skipped} without a claim. Null if the leader skipped them,
 *     if a claim skipped them (its run names the instance), or if no fire was skipped yet
 * @param setBack the operator's latest change of a cursor that was in the future; null if there was none, or if the
 *     cursor has reached its former value since then
 * @param release the operator's latest release of the item from quarantine; null if there was none
 * @param opened start of the record's incarnation
 * @param previous the last run that ended before {@code run} was claimed; null if there is none
 * @param skip cursors before and after the latest skip of scheduled fires; {@code skipped} contains these fires. If
 *     {@code skipped} contains none of them, the cursor advanced without a skipped fire. Null if the latest decision
 *     skipped no scheduled fire
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
        List<Skipped> skipped,
        @Nullable String decidedBy,
        @Nullable SetBack setBack,
        @Nullable Release release,
        Opened opened,
        @Nullable End previous,
        @Nullable Skip skip) {
    /**
     * An operator's change of a cursor that was in the future.
     *
     * @param by operator who made the change
     * @param reason the operator's reason; may be empty
     * @param request id of the operator's request
     * @param at time of the change on the server's clock; also the new cursor
     * @param from the former cursor
     * @param ran fire after {@code at} that the item has already run, ahead of its time; the item does not run this
     *     fire again. Null if the record did not show such a fire
     */
    public record SetBack(String by, String reason, String request, Instant at, Instant from, @Nullable Instant ran) {
        /** Checks the values. */
        public SetBack {
            requireOrigin(by, reason, request, at);
            Objects.requireNonNull(from, "from");
        }
    }

    /**
     * An operator's release of a quarantined item.
     *
     * @param by operator who released the item
     * @param reason the operator's reason; may be empty
     * @param request id of the operator's request
     * @param at time of the release on the server's clock
     */
    public record Release(String by, String reason, String request, Instant at) {
        /** Checks the values. */
        public Release {
            requireOrigin(by, reason, request, at);
        }
    }

    /**
     * Start of an incarnation of a record.
     *
     * @param incarnation number of the incarnation
     * @param cursor cursor with which the record began in that incarnation
     */
    public record Opened(long incarnation, Instant cursor) {
        /** Checks the values. */
        public Opened {
            Objects.requireNonNull(cursor, "cursor");
        }
    }

    /**
     * End of a run.
     *
     * @param run the run as {@link Run#past} keeps it
     * @param endedAt end of the run on the clock of the instance that has recorded the end
     * @param error short description of the failure; null if the run did not fail
     */
    public record End(Run run, Instant endedAt, ItemOutcome outcome, @Nullable String error) {
        /** Checks the values. */
        public End {
            Objects.requireNonNull(run.cursor(), "cursor");
            Objects.requireNonNull(endedAt, "endedAt");
            Objects.requireNonNull(outcome, "outcome");
            if (error != null) {
                error = shortened(error);
            }
        }

        /** Returns the cursor of the item after the end of the run. */
        public Instant cursorAtEnd() {
            return afterEnd(run.fire(), run.requireCursor());
        }
    }

    /**
     * Cursors around a skip of scheduled fires, or around a change of the cursor that skipped no fire. The cursors are
     * equal in the record of a new item.
     *
     * @param after the cursor before the skip
     * @param upTo the cursor after the skip
     * @param incarnation the record's incarnation after the skip
     */
    public record Skip(Instant after, Instant upTo, long incarnation) {
        /** Checks the values. */
        public Skip {
            Objects.requireNonNull(after, "after");
            Objects.requireNonNull(upTo, "upTo");
        }

        /** Returns whether this skip has skipped these fires. Otherwise, an earlier decision has skipped them. */
        private boolean contains(Skipped fires) {
            return fires.from().isAfter(after) && !fires.to().isAfter(upTo);
        }
    }

    private static final String LOST =
            "the record was lost and a new one was written; all fires up to its cursor count as decided";

    private static final int ERROR_BYTES = 500;
    /**
     * Largest size of the previous run's error, in bytes. The size is small because one transaction may write hundreds
     * of records.
     */
    private static final int PREVIOUS_ERROR_BYTES = 100;
    /** Weight of earlier runs in the average run time; the latest run has weight 1. */
    private static final int EARLIER_RUNS = 3;

    /** Checks that the record of a running or handed-over item has a run, and that the run has its cursor. */
    public ItemRecord {
        skipped = List.copyOf(skipped);
        Objects.requireNonNull(opened, "opened");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(cursor, "cursor");
        if ((state == ItemState.RUNNING || state == ItemState.HANDED_OVER) && run == null) {
            throw new IllegalArgumentException("item record is " + state + " without a run");
        }
        if (run != null) {
            run.requireCursor();
        }
        if (error != null) {
            error = shortened(error);
        }
        if (runTime != null && (runTime.isNegative() || runTime.compareTo(Schedule.LONGEST) > 0)) {
            runTime = null; // of a damaged record; computations with it could overflow
        }
    }

    /** Returns the record of a new item. Its {@code skip} shows a history that no fire came before this cursor. */
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
                null,
                null,
                null,
                new Opened(incarnation, cursor),
                null,
                new Skip(cursor, cursor, incarnation));
    }

    private static void requireOrigin(String by, String reason, String request, Instant at) {
        Names.requirePrintable("by", by, JobOverride.Change.LONGEST_BY);
        Names.requirePrintable("reason", reason, JobOverride.Change.LONGEST_REASON);
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(at, "at");
    }

    /**
     * Returns a replacement for a lost record. The outcomes of the item's fires are unknown, so all scheduled fires up
     * to an instant count as decided.
     *
     * @param last the last known record of the same incarnation. All fires that it shows as decided or begun stay
     *     decided, also those after {@code upTo}. Null if no record is known
     */
    public static ItemRecord lost(Instant upTo, @Nullable ItemRecord last, long incarnation) {
        if (last == null) {
            return fresh(upTo, 0, incarnation).replacing(null);
        }
        Instant known = last.unfinished() ? last.cursorAtEnd() : last.cursor;
        return fresh(known.isAfter(upTo) ? known : upTo, last.latestTrigger(), incarnation)
                .replacing(last);
    }

    private ItemRecord replacing(@Nullable ItemRecord lost) {
        return with(next -> {
            next.error = LOST;
            next.skip = null; // a history must not take the item for a new one
            next.setBack = lost == null ? null : lost.setBackAt(cursor); // it names a fire that ran ahead of its time
        });
    }

    /** Returns whether this record replaces a lost one, and the item has not run since. */
    public boolean lost() {
        return run == null && LOST.equals(error);
    }

    /** Returns the number of the transaction that created the latest trigger that the item has decided or begun. */
    private long latestTrigger() {
        return unfinished() ? Math.max(triggerCursor, requireRun().fire().triggerZxid()) : triggerCursor;
    }

    /**
     * Returns a record in which an operator has released the item from quarantine. The number of failures is reset.
     *
     * @param by operator who releases the item
     * @param now current time on the server's clock
     */
    public ItemRecord released(String by, String reason, String request, Instant now) {
        return with(next -> {
            next.state = ItemState.IDLE;
            next.consecutiveFailures = 0;
            next.release = new Release(by, reason, request, now);
        });
    }

    /** Returns the reason why an operator cannot release the item; null if the item can be released. */
    public @Nullable String refusesRelease() {
        return state == ItemState.QUARANTINED ? null : "is " + state + ", not QUARANTINED";
    }

    /** Returns whether the latest release, or the latest change of the cursor by an operator, had this request id. */
    public boolean changedBy(String request) {
        return (release != null && release.request().equals(request))
                || (setBack != null && setBack.request().equals(request));
    }

    /**
     * Returns a record in which an operator has set back the cursor from the future to {@code now}. The fires up to
     * {@code now} count as decided, because the record does not show which of them ran. A fire after {@code now} stays
     * decided if the last run, or an earlier change of the cursor, shows that the item has run it.
     *
     * @param by operator who makes the change
     * @param now the new cursor, on the server's clock
     */
    public ItemRecord setBack(String by, String reason, String request, Instant now) {
        Fire last = run == null || run.fire().triggered() ? null : run.fire();
        Instant ran = last != null && last.at().isAfter(now) && !last.at().isAfter(cursor)
                ? last.at()
                : setBack != null && setBack.ran() != null && setBack.ran().isAfter(now) ? setBack.ran() : null;
        return with(next -> {
            next.cursor = now;
            next.endedAt = endedAt != null && endedAt.isAfter(now) ? now : endedAt;
            next.setBack = new SetBack(by, reason, request, now, cursor, ran);
        });
    }

    /**
     * Returns the reason why an operator cannot set back the cursor; null if the cursor can be set back.
     *
     * @param now current time on the server's clock
     * @param tolerance longest time by which a correct cursor can be ahead of {@code now}, because clocks differ
     */
    public @Nullable String refusesSetBack(Instant now, Duration tolerance) {
        return state != ItemState.IDLE
                ? "is " + state + ", not IDLE"
                : !cursor.isAfter(now.plus(tolerance))
                        ? "has its cursor at " + cursor + ", which is not in the future at " + now
                                + ", and a fire before it would run twice"
                        : null;
    }

    /** Returns the fire that the item has run ahead of its time and must not run again; null if there is none. */
    public @Nullable Instant ranAhead() {
        return setBack == null ? null : setBack.ran();
    }

    /**
     * Returns the current or last run.
     *
     * @throws NullPointerException if the item has never run
     */
    public Run requireRun() {
        return Objects.requireNonNull(run, "run");
    }

    /**
     * Returns true if the item has a claimed fire whose run has not ended. If the owner is gone, the fire was
     * interrupted.
     */
    public boolean unfinished() {
        return state == ItemState.RUNNING || state == ItemState.HANDED_OVER;
    }

    /**
     * Returns the time of the item's latest fire that has ended or was skipped. A manual trigger counts only after its
     * end; until then, this is the cursor.
     */
    public Instant lastFire() {
        if (run == null || unfinished() || !run.fire().triggered()) {
            return cursor;
        }
        Instant trigger = run.fire().at();
        return trigger.isAfter(cursor) ? trigger : cursor;
    }

    /**
     * Returns a record with a new claim.
     *
     * @param cursor new cursor, which includes the fires that the claim skips but not the claimed fire
     * @param skipped fires that the claim skips
     */
    public ItemRecord claimed(Run claim, Instant cursor, List<Skipped> skipped) {
        return with(next -> {
            if (!unfinished()) { // a takeover keeps the end of the previous run and the cursors of the skip
                next.previous = end(PREVIOUS_ERROR_BYTES);
                next.skip = skipped.isEmpty() ? null : new Skip(this.cursor, cursor, incarnation);
            }
            next.open(ItemState.RUNNING);
            next.cursor = cursor;
            next.run = claim.within(cursor, incarnation);
            next.skipped = skipped;
            next.decidedBy = null;
            next.setBack = setBackAt(cursor);
        });
    }

    /**
     * Returns the end of the last run; null if there is none.
     *
     * @param errorBytes largest size of the error
     */
    private @Nullable End end(int errorBytes) {
        return run == null || endedAt == null || outcome == null
                ? null
                : new End(run.past(), endedAt, outcome, error == null ? null : Names.excerpt(error, errorBytes));
    }

    /** Returns the ends that the record shows, at most two, the earlier one first. */
    public List<End> ends() {
        return Stream.of(Optional.ofNullable(previous), Optional.ofNullable(end(ERROR_BYTES)))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns the scheduled fires that the latest decision skipped. */
    public List<Skipped> skippedFires() {
        return skip == null
                ? List.of()
                : skipped.stream().filter(skip::contains).toList();
    }

    /** Returns the cursor with which the record began in an incarnation; null if it is not the record's incarnation. */
    public @Nullable Instant openedIn(long incarnation) {
        return opened.incarnation() != incarnation ? null : opened.cursor();
    }

    /**
     * Returns the operator's change of the cursor; null if the next cursor has reached the value that the cursor had
     * before the change.
     */
    private @Nullable SetBack setBackAt(Instant next) {
        return setBack == null || !next.isBefore(setBack.from()) ? null : setBack;
    }

    /** Returns a record in which the current run has ended. */
    public ItemRecord completed(Instant at, ItemOutcome outcome, @Nullable String error) {
        return ended(ItemState.IDLE, at, outcome, error);
    }

    /**
     * Returns the record in quarantine if the last run failed and at least this many runs have failed in a row.
     * Otherwise returns this record.
     */
    public ItemRecord quarantinedAfter(int failures) {
        boolean failed = outcome == ItemOutcome.FAILED || outcome == ItemOutcome.TIMED_OUT;
        return failed && failures > 0 && state == ItemState.IDLE && consecutiveFailures >= failures
                ? with(next -> next.state = ItemState.QUARANTINED)
                : this;
    }

    /** Returns a record in which the current run has crashed and the item is quarantined. */
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

    /**
     * Returns the record with the number of the current run's last attempt, and with the run's fencing token. Called
     * after the user code has returned and before the end of the run is written.
     */
    public ItemRecord returned(int attempt, long fencingToken) {
        Run present = requireRun();
        return with(next -> next.run = present.returned(attempt, fencingToken));
    }

    /** Returns the number of the next claim. */
    public long nextRunNumber() {
        return run == null ? 1 : run.number() + 1;
    }

    /**
     * Returns the identity of the current or last claim, for events.
     *
     * @param mzxid transaction that wrote this record. The fencing token of a running item is derived from this number
     */
    public Claim claim(String job, String item, long mzxid) {
        Run claim = requireRun();
        long token = state == ItemState.RUNNING ? Token.pack(claim.fenceEpoch(), mzxid) : claim.token();
        return claim(job, item, claim, incarnation, cursor, token);
    }

    /**
     * Returns the identity of the claim of an ended run, for events. The claim contains the number of the last attempt.
     *
     * @param end one of {@link #ends}
     */
    public Claim claim(String job, String item, End end) {
        Run run = end.run();
        return claim(job, item, run, run.incarnation(), run.requireCursor(), run.token());
    }

    private Claim claim(String job, String item, Run run, long incarnation, Instant cursor, long token) {
        Fire fire = run.fire();
        return new Claim(
                job,
                item,
                incarnation,
                fire.runId(job),
                fire.logicalTime(),
                fire.triggered(),
                run.total(),
                run.attempt(),
                run.number(),
                run.nonce(),
                token,
                cursor,
                openedIn(incarnation),
                run.owner(),
                run.startedAt());
    }

    /** Returns the cursor that the record will have after the end of the current run. */
    public Instant cursorAtEnd() {
        return afterEnd(requireRun().fire(), cursor);
    }

    private static Instant afterEnd(Fire fire, Instant cursor) {
        return !fire.triggered() && fire.at().isAfter(cursor) ? fire.at() : cursor;
    }

    private static String shortened(String error) {
        return Names.excerpt(error, ERROR_BYTES);
    }

    /** Returns the record with this pause before the next run; null for no pause. */
    public ItemRecord pausing(@Nullable Duration delay) {
        return with(next -> next.currentDelay = delay);
    }

    /**
     * Returns a record in which the owner has handed over the current run. The fire is not finished; another instance
     * takes over the fire.
     */
    public ItemRecord handedOver() {
        return with(next -> next.open(ItemState.HANDED_OVER));
    }

    /** Returns a record in which a trigger is skipped. */
    public ItemRecord skipped(Fire trigger, SkipReason reason) {
        return with(next -> {
            next.triggerCursor = Math.max(triggerCursor, trigger.triggerZxid());
            next.skipped = List.of(new Skipped(trigger.at(), trigger.at(), 1, reason));
            next.skip = null;
        });
    }

    /**
     * Returns a record in which scheduled fires are skipped.
     *
     * @param latest the new cursor: the latest of the skipped fires
     */
    public ItemRecord skippedTo(Instant latest, List<Skipped> fires) {
        return with(next -> {
            next.cursor = latest;
            next.skipped = fires;
            next.skip = fires.isEmpty() ? null : new Skip(cursor, latest, incarnation);
            next.setBack = setBackAt(latest);
        });
    }

    /**
     * Returns the record with the id of the instance that skipped the fires. Two instances may decide the same skip at
     * the same time; the id shows which of them has written the record.
     */
    public ItemRecord decidedBy(String instanceId) {
        return with(next -> next.decidedBy = instanceId);
    }

    /**
     * Returns a record in which the leader has skipped fires. The cursor of this record already includes the skipped
     * fires.
     *
     * @param after cursor before these fires
     */
    public ItemRecord skippedFrom(List<Skipped> fires, Instant after) {
        return with(next -> {
            next.skipped = fires;
            next.skip = fires.isEmpty() ? null : new Skip(after, cursor, incarnation);
            next.decidedBy = null;
        });
    }

    /**
     * Returns the record after the leader has set its cursor without skipping a fire, for example because the item was
     * retired. If the cursor has advanced, the record shows the former cursor, so that a history has no gap.
     *
     * @param after the former cursor
     */
    public ItemRecord advancedFrom(Instant after) {
        return with(next -> next.skip = cursor.isAfter(after) ? new Skip(after, cursor, incarnation) : skip);
    }

    /**
     * Returns the record with new cursors and a new state, in which the item does not run. If the record moves to
     * another incarnation, an operator's change of the old cursor is dropped, but an operator's release of the item
     * from quarantine is kept.
     *
     * @param incarnation incarnation of the new record, see {@link ShardingPlan}
     */
    public ItemRecord rewritten(ItemState state, Instant cursor, long triggerCursor, long incarnation) {
        return with(next -> {
            if (next.state == ItemState.RETIRED) {
                next.consecutiveFailures = 0; // a retired item that comes back starts without earlier failures
                next.currentDelay = null;
            }
            next.state = state;
            next.cursor = cursor;
            next.triggerCursor = triggerCursor;
            if (incarnation != this.incarnation) {
                next.opened = new Opened(incarnation, cursor);
            }
            next.incarnation = incarnation;
            next.setBack = incarnation == this.incarnation ? setBackAt(cursor) : null;
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
                next.skipped,
                next.decidedBy,
                next.setBack,
                next.release,
                next.opened,
                next.previous,
                next.skip);
    }

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

        List<Skipped> skipped;

        @Nullable String decidedBy;

        @Nullable SetBack setBack;

        @Nullable Release release;

        Opened opened;

        @Nullable End previous;

        @Nullable Skip skip;

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
            this.skipped = from.skipped;
            this.decidedBy = from.decidedBy;
            this.setBack = from.setBack;
            this.release = from.release;
            this.opened = from.opened;
            this.previous = from.previous;
            this.skip = from.skip;
        }

        /** Sets the state and clears the result of the previous run. */
        void open(ItemState unfinished) {
            state = unfinished;
            endedAt = null;
            outcome = null;
            error = null;
        }
    }
}
