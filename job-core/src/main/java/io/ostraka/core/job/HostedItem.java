package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.decide.AdaptiveDelay;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.job.HostedItemState.ActiveRun;
import io.ostraka.core.job.HostedItemState.ClaimedBatch;
import io.ostraka.core.job.HostedItemState.Claiming;
import io.ostraka.core.job.HostedItemState.Completing;
import io.ostraka.core.job.HostedItemState.Ended;
import io.ostraka.core.job.HostedItemState.Foreign;
import io.ostraka.core.job.HostedItemState.Idle;
import io.ostraka.core.job.HostedItemState.Reading;
import io.ostraka.core.job.HostedItemState.Restoring;
import io.ostraka.core.job.HostedItemState.Running;
import io.ostraka.core.job.HostedItemState.Unread;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Item that this instance owns or still runs. Contains the item's record as last read or written, its {@link
 * HostedItemState state} in this instance, and the fire that it starts next. Confined to the job's serial executor.
 */
final class HostedItem {
    /** Action that the caller must take after an item's nodes were compared with the item's state in this instance. */
    enum Finding {
        /** No action is necessary. */
        SETTLED,
        /** The pending claim has succeeded although its reply was lost. The caller starts its run. */
        CLAIMED,
        /**
         * The item's record contains a claim of this session, but this instance has no run for the claim. The caller
         * hands the item over.
         */
        ORPHANED,
        /**
         * Another instance has claimed the item, or the item's record was deleted. The result of the run in this
         * instance no longer counts, and the caller stops the run.
         */
        FENCED
    }

    private final String key;
    private HostedItemState state = new Unread(null);
    private @Nullable Versioned<ItemRecord> record;
    private @Nullable Versioned<ItemRecord> remembered;
    private @Nullable String problem;
    /**
     * Version of the latest plan up to which no other instance can have claimed the item since the record was read or
     * written; null if another instance may have.
     */
    private @Nullable Integer ownedUnder;
    /** True if a write of this instance may have changed the record since the record was read or written. */
    private boolean inDoubt;

    private @Nullable String pendingNonce;
    private @Nullable DecisionEvents pendingEvents;
    private @Nullable Instant previousFire;
    private @Nullable JobSnapshot claimedFrom;

    HostedItem(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    HostedItemState state() {
        return state;
    }

    // ---- the record

    /**
     * Returns the record as last read or written.
     *
     * @throws NullPointerException if the record is unknown
     */
    Versioned<ItemRecord> known() {
        return Objects.requireNonNull(record, "record");
    }

    /** Returns the record as last read or written; null if it is unknown or unusable. */
    @Nullable Versioned<ItemRecord> record() {
        return record;
    }

    /** Returns the last usable record if the current record is damaged or missing; otherwise null. */
    @Nullable Versioned<ItemRecord> remembered() {
        return remembered;
    }

    /** Returns why the record is unusable; null if it is usable or has not been read yet. */
    @Nullable String problem() {
        return problem;
    }

    /**
     * Returns whether the record's cursor is in the future. This happens if a clock was wrong. The cursor is the time
     * up to which the item has claimed or skipped all scheduled fires, so no scheduled fire starts before that time.
     *
     * @param latest latest time that is not in the future
     */
    boolean decidedAhead(Instant latest) {
        return record != null && record.value().cursor().isAfter(latest);
    }

    private boolean quarantined() {
        return known().value().state() == ItemState.QUARANTINED;
    }

    // ---- the next decision

    /** Postpones the next decision about an idle item to the given time. */
    void quietUntil(Instant at) {
        if (state instanceof Idle idle) {
            state = idle.quietUntil(at);
        }
    }

    /** Postpones the next decision about an idle item that got no slot, until it is the item's turn. */
    void standInLine() {
        if (state instanceof Idle idle) {
            state = idle.standInLine();
        }
    }

    /** Ends a postponement, so the next step decides whether a fire of the item is due. */
    void decideAgain() {
        quietUntil(Instant.MIN);
    }

    // ---- reading the nodes

    /**
     * Makes the next step read the item's nodes again. Has no effect while the reply to a read or a write is pending,
     * because that reply determines the next state.
     */
    void reread() {
        state = state.reread();
    }

    /**
     * Makes the next step read the item's nodes again, in every state. Used after a failure of the engine and after the
     * reply to a write was lost.
     */
    void invalidate() {
        inDoubt |= state instanceof Claiming || state instanceof Completing;
        state = new Unread(state.run());
    }

    /**
     * Returns whether a write of this instance, whose reply was lost, may have changed the item after the last usable
     * record was read or written.
     */
    boolean inDoubt() {
        return inDoubt;
    }

    /**
     * Records that a read of the item's nodes was sent.
     *
     * @param plan version of the plan; null if this plan does not assign the item to this instance
     */
    void reading(@Nullable Integer plan) {
        state = new Reading(state.run(), false, plan);
    }

    /**
     * Records that the plan assigns the item to this instance. If this instance has not seen each plan between the two,
     * another instance may have owned the item in between.
     */
    void planned(int before, int now) {
        if (ownedUnder != null && ownedUnder == before && now == Versioned.next(before)) {
            ownedUnder = now;
        }
    }

    /**
     * Returns whether the last usable record shows everything that the item has run: since this instance read or wrote
     * that record, no other instance can have claimed the item, or can have completed a run of it, and this instance
     * knows the results of all its own writes.
     *
     * @param plan version of the plan, which assigns the item to this instance
     */
    boolean knowsAllRuns(int plan) {
        Versioned<ItemRecord> last = remembered;
        ActiveRun active = state.run();
        return last != null
                && !inDoubt
                && ownedUnder != null
                && ownedUnder == plan
                && (last.value().state() != ItemState.RUNNING
                        || (active != null && active.claimedBy(last.value().run())));
    }

    void readFailed() {
        if (state instanceof Reading) {
            invalidate();
        }
    }

    /**
     * Handles a change that another instance made to one of the item's nodes. Returns true if the nodes must be read
     * now.
     */
    boolean nodesChanged() {
        HostedItemState before = state;
        state = before instanceof Idle && quarantined() ? before.reread() : before.nodesChanged();
        return state instanceof Unread && !(before instanceof Unread);
    }

    /**
     * Handles the permanent deletion of the item's record. The result of the item's run can then no longer be recorded.
     */
    Finding recordDeleted() {
        pendingNonce = null;
        record = null;
        remembered = null;
        problem = null;
        ActiveRun active = state.run();
        state = active == null || active.end() != null ? new Foreign(null) : new Running(active);
        return active == null ? Finding.SETTLED : Finding.FENCED;
    }

    /**
     * Updates the item from the nodes that were read. Their contents also show whether a transaction has succeeded
     * although its reply was lost.
     *
     * @return the action that the caller must take
     */
    Finding take(ItemView view, Session session) {
        boolean outdated = state instanceof Reading reading && reading.outdated();
        Finding finding = compare(view, session);
        claimedFrom = finding == Finding.CLAIMED ? claimedFrom : null;
        if (outdated && finding != Finding.ORPHANED && (state instanceof Foreign || state instanceof Idle)) {
            state = state.reread();
        }
        return finding;
    }

    private Finding compare(ItemView view, Session session) {
        if (view.record() != null) {
            ownedUnder = state instanceof Reading reading ? reading.plan() : null;
            inDoubt = false;
        }
        takeRecord(view);
        String awaited = pendingNonce;
        pendingNonce = null;
        ActiveRun active = state.run();
        if (record == null) {
            state = active == null || active.end() != null ? new Foreign(active) : new Running(active);
            return Finding.SETTLED;
        }
        ItemRecord read = record.value();
        Run claim = read.run();
        if (active != null && claim != null && claim.nonce().equals(awaited)) {
            active = null; // the transaction with this claim also completed the previous run
        }
        if (active != null) {
            return compare(active, view, session);
        }
        boolean holdsNode = view.running() == session.id();
        if (claim != null
                && read.state() == ItemState.RUNNING
                && (holdsNode || (view.running() == 0 && claim.owner().equals(session.instanceId())))) {
            state = new Idle(Interruption.NONE, view.handoverNode(), Instant.MIN);
            // A claim that was sent while the session changed may name the old session as its owner, although its
            // running node belongs to the new session. This instance then hands the item over, because the running node
            // would otherwise exist until the new session ends.
            return claim.nonce().equals(awaited) && holdsNode ? Finding.CLAIMED : Finding.ORPHANED;
        }
        settle(view, session);
        return Finding.SETTLED;
    }

    private Finding compare(ActiveRun active, ItemView view, Session session) {
        ItemRecord read = known().value();
        boolean own = active.claimedBy(read.run());
        if (own && read.state() == ItemState.RUNNING) {
            active.nodes(view.running() == session.id(), view.handoverNode());
            state = active.end() == null ? new Running(active) : new Ended(active);
            return Finding.SETTLED;
        }
        if (active.end() == null) {
            record = null; // the record belongs to another instance, and this run must not write it
            state = new Running(active);
            return Finding.FENCED;
        }
        // If the record shows the end of this run, the completion has succeeded and only its reply was lost. The
        // exception is a run that the leader has recorded as interrupted.
        boolean interrupted =
                read.outcome() == ItemOutcome.INTERRUPTED && !active.run().gaveUp(active.end());
        settle(view, session);
        return own && !interrupted ? Finding.SETTLED : Finding.FENCED;
    }

    private void takeRecord(ItemView view) {
        Versioned<ItemRecord> before = record;
        record = view.record();
        if (record != null) {
            remembered = null;
            problem = null;
        } else {
            remembered = before == null ? remembered : before;
            problem = view.damage() == null
                    ? "the record of item " + key + " is missing"
                    : view.damage().text();
        }
    }

    private void settle(ItemView view, Session session) {
        Interruption interruption = Interruption.NONE;
        if (view.interrupted()) {
            Run claim = known().value().requireRun();
            boolean processLives = session.earlierIds().contains(claim.owner())
                    || (view.handover() != null && view.handover().processLives());
            interruption = processLives || known().value().state() == ItemState.HANDED_OVER
                    ? Interruption.GIVEN_UP
                    : Interruption.CRASHED;
        }
        boolean free =
                view.running() == 0 && (view.interrupted() || !known().value().unfinished());
        state = free ? new Idle(interruption, view.handoverNode(), Instant.MIN) : new Foreign(null);
    }

    // ---- transactions

    /**
     * Records that a transaction with a decision about the item was sent. This transaction may also complete the item's
     * previous run.
     *
     * @param decided the decision, with the events to publish after ZooKeeper has accepted it
     * @param previous time of the last completed fire; null if there is none or the time is unknown
     */
    void deciding(DecisionEvents decided, @Nullable Instant previous) {
        pendingEvents = decided;
        pendingNonce = decided.to().unfinished() ? decided.to().requireRun().nonce() : null;
        previousFire = previous;
        state = state instanceof Idle idle ? new Claiming(idle) : new Completing(requireRun());
    }

    /** Records the snapshot (configuration and plan) on which the pending claim is based. */
    void claimsFrom(JobSnapshot decidedFrom) {
        claimedFrom = decidedFrom;
    }

    /**
     * Returns the snapshot (configuration and plan) on which the pending claim is based; null if no claim is pending.
     * If the reply to the claim was lost, its run still starts from this snapshot, even if the plan has changed since.
     */
    @Nullable JobSnapshot claimedFrom() {
        return claimedFrom;
    }

    /** Records that a transaction with the completion of the run was sent. */
    void completing() {
        state = new Completing(requireRun());
    }

    /** Records that this instance is restoring the record or handing the item over. */
    void restoring() {
        state = new Restoring(state.run());
    }

    /**
     * Records that ZooKeeper has accepted the run's completion. If the run was handed over, the next step reads the
     * item again.
     */
    void completed(Versioned<ItemRecord> written) {
        wrote(written);
        if (written.value().unfinished()) {
            state = new Unread(null);
        }
    }

    /**
     * Records that ZooKeeper has accepted a decision. Returns the events of the decision for publication; null if they
     * were published already.
     *
     * @param plan version of the plan, which the transaction has checked
     */
    @Nullable DecisionEvents decided(Versioned<ItemRecord> written, int plan) {
        ownedUnder = plan;
        wrote(written);
        return takeEvents();
    }

    private void wrote(Versioned<ItemRecord> written) {
        claimedFrom = null;
        record = written;
        inDoubt = false;
        // Only an operator can release a quarantined item. Reading the record sets the watch that reports the release.
        state = quarantined() ? new Unread(null) : Idle.WRITTEN;
    }

    void rejected() {
        claimedFrom = null;
        pendingNonce = null;
        pendingEvents = null;
        state = state.rejected();
    }

    /** Records that the reply to a transaction was lost. The next step reads the nodes to learn the outcome. */
    void outcomeUnknown() {
        invalidate();
    }

    /** Returns the events of the latest decision if its reply is pending or was lost; otherwise null. */
    @Nullable DecisionEvents pendingEvents() {
        return pendingEvents;
    }

    /** Removes and returns the events that {@link #pendingEvents} returns. */
    @Nullable DecisionEvents takeEvents() {
        DecisionEvents taken = pendingEvents;
        pendingEvents = null;
        return taken;
    }

    /** Returns how the run in the item's record was interrupted; {@code NONE} unless the item is idle. */
    Interruption interruption() {
        return state instanceof Idle idle ? idle.interruption() : Interruption.NONE;
    }

    /** Returns whether the item has a failover node, which the claim of the item must delete. */
    boolean failoverNode() {
        ActiveRun active = state.run();
        return state instanceof Idle idle ? idle.failoverNode() : active != null && active.failoverNode();
    }

    /** Returns the time of the fire before the claimed one; null if there is none or the time is unknown. */
    @Nullable Instant previousFire() {
        return previousFire;
    }

    // ---- the run

    /**
     * Returns the item's run in this instance; null if there is none. A run exists from its claim until its completion
     * is recorded.
     */
    @Nullable ItemRun run() {
        ActiveRun active = state.run();
        return active == null ? null : active.run();
    }

    /** Returns the item's run if its code has not returned yet; otherwise null. */
    @Nullable ItemRun executing() {
        ActiveRun active = state.run();
        return active == null || active.end() != null ? null : active.run();
    }

    /**
     * Returns the item's run together with the engine's data about it; null if there is none. A run exists from its
     * claim until its completion is recorded.
     */
    @Nullable ActiveRun activeRun() {
        return state.run();
    }

    private ActiveRun requireRun() {
        return Objects.requireNonNull(state.run(), "run");
    }

    /**
     * Returns true if this instance runs the item, has not yet recorded the end of its run, or waits for the reply to a
     * write of its record.
     */
    boolean busy() {
        return state.run() != null || pendingNonce != null || state instanceof Claiming || state instanceof Restoring;
    }

    /** Returns whether the item's run has called {@link Runtime#exit}, so its code never returns. */
    boolean exiting() {
        ItemRun run = executing();
        return run != null && run.exiting();
    }

    /** Returns whether the code of the item's run closes a job or an instance, or ends the process. */
    boolean closing() {
        ItemRun run = executing();
        return run != null && run.closing();
    }

    /** Enters the running state with a run that was just claimed. */
    void started(ItemRun run, ClaimedBatch batch) {
        claimedFrom = null;
        pendingNonce = null;
        state = new Running(new ActiveRun(run, batch));
    }

    /**
     * Records that the user's code has returned.
     *
     * @return true if no other run of the same claimed batch is still executing
     */
    boolean returned(RunEnd end, Instant at) {
        boolean last = requireRun().returned(end, at);
        state = state.returned(record != null);
        return last;
    }

    /** Returns the claimed batch of the item's run: the runs that one transaction has claimed. */
    ClaimedBatch batch() {
        return requireRun().batch();
    }

    /**
     * Marks the item's run, which has no time limit, as taking too long. Returns true only on the first call for the
     * run.
     */
    boolean markOverlong() {
        return requireRun().markOverlong();
    }

    /** Returns whether the item's run was marked as taking too long. */
    boolean overlong() {
        ActiveRun active = state.run();
        return active != null && active.overlong();
    }

    /**
     * Returns true if the item has a run here and the item's running node belongs to this session. The running node
     * marks the item as running.
     */
    boolean holdsRunningNode() {
        ActiveRun active = state.run();
        return active != null && active.runningNode();
    }

    /** Makes the completion of the run a separate transaction. The item's next claim follows in a later transaction. */
    void completeAlone() {
        requireRun().completeAlone();
    }

    /** Returns whether one transaction may complete the item's ended run and claim the item's next fire. */
    boolean mayClaimNext() {
        return state instanceof Ended ended
                && ended.run().runningNode()
                && !ended.run().completesAlone();
    }

    /** Drops the item's run if the run has ended, because its result cannot be recorded. */
    void forgetEndedRun() {
        ActiveRun active = state.run();
        if (active != null && active.end() != null) {
            state = new Foreign(null);
        }
    }

    /**
     * Returns the record to be written when the ended run is completed.
     *
     * @throws IllegalStateException if the current record contains another claim
     */
    ItemRecord ending(JobConfiguration job) {
        ActiveRun active = requireRun();
        ItemRecord present = known().value();
        if (!active.claimedBy(present.requireRun())) {
            throw new IllegalStateException(active.run() + " would complete the claim "
                    + present.requireRun().nonce());
        }
        ItemRun run = active.run();
        Instant at = Objects.requireNonNull(active.endedAt(), "endedAt");
        RunEnd end = Objects.requireNonNull(active.end(), "end");
        ItemRecord tried = present.returned(run.attempt(), run.fencingToken());
        if (!run.gaveUp(end)) {
            ItemRecord ended = tried.completed(at, end.outcome(), end.error());
            return delayed(ended, run.schedule(), end.idle()).quarantinedAfter(job.quarantineAfter());
        }
        return job.failover()
                ? tried.handedOver()
                : delayed(tried.completed(at, ItemOutcome.INTERRUPTED, "given up in mid-run"), run.schedule(), false);
    }

    /**
     * Adds the pause before the next run to a record. Adaptive and continuous schedules derive this pause from the
     * ended run; other schedules have no pause.
     */
    private static ItemRecord delayed(ItemRecord ended, Schedule schedule, boolean idle) {
        boolean decidedByRun = schedule.unbounded() instanceof Schedule.Adaptive
                || schedule.unbounded() instanceof Schedule.Continuous;
        return decidedByRun || ended.currentDelay() != null ? AdaptiveDelay.after(ended, schedule, idle) : ended;
    }
}
