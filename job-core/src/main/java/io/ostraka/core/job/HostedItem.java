package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.decide.AdaptiveDelay;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.job.HostedState.ActiveRun;
import io.ostraka.core.job.HostedState.ClaimedBatch;
import io.ostraka.core.job.HostedState.Claiming;
import io.ostraka.core.job.HostedState.Completing;
import io.ostraka.core.job.HostedState.Ended;
import io.ostraka.core.job.HostedState.Foreign;
import io.ostraka.core.job.HostedState.Idle;
import io.ostraka.core.job.HostedState.Reading;
import io.ostraka.core.job.HostedState.Restoring;
import io.ostraka.core.job.HostedState.Running;
import io.ostraka.core.job.HostedState.Unread;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import io.ostraka.core.time.ClockCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Item that this instance owns or still runs: its record as last read or written, its {@link HostedState state}, and the fire
 * that it starts next. Confined to the job's serial executor.
 */
final class HostedItem {
    /** Result of comparing an item's nodes with the state in this instance. */
    enum Finding {
        /** The new state says all. */
        SETTLED,
        /** A claim of unknown outcome was made: its run must start. */
        CLAIMED,
        /** This session items a claim that it does not run: the item must be handed over. */
        ORPHANED,
        /** Another instance has the item, so the result of the run under way no longer counts. */
        FENCED
    }

    private final String key;
    private HostedState state = new Unread(null);
    private @Nullable Versioned<ItemRecord> record;
    private @Nullable Versioned<ItemRecord> remembered;
    private @Nullable String problem;

    private @Nullable String pendingNonce;
    private @Nullable DecisionEvents pendingEvents;
    private @Nullable Instant previousFire;

    private @Nullable Fire next;
    private @Nullable Fire dueFire;
    private long dueSince;
    private @Nullable Long withoutSlotSince;
    private @Nullable Fire withoutSlot;

    HostedItem(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    HostedState state() {
        return state;
    }

    // ---- the record

    /** Returns the record, which must be known. */
    Versioned<ItemRecord> known() {
        return Objects.requireNonNull(record, "record");
    }

    /** Returns the record as last read or written; null if it is unknown or cannot be used. */
    @Nullable Versioned<ItemRecord> record() {
        return record;
    }

    /** Returns the last usable record while the present one cannot be used; null otherwise or if none was usable. */
    @Nullable Versioned<ItemRecord> remembered() {
        return remembered;
    }

    /** Returns why the record cannot be used; null if it can. */
    @Nullable String problem() {
        return problem;
    }

    /** Returns whether the record's cursor lies in the future, so that no fire starts before then. */
    boolean decidedAhead(ClockCheck clock) {
        return record != null && clock.future(record.value().cursor());
    }

    private boolean quarantined() {
        return known().value().state() == ItemState.QUARANTINED;
    }

    // ---- the next fire

    /** Records the fire that the item starts next; null for none. */
    void startsNext(@Nullable Fire fire) {
        next = fire;
        if (fire == null) {
            withoutSlotSince = null;
        }
    }

    /** Returns the fire that the item starts next; null if none is due or the run has started. */
    @Nullable Fire next() {
        return next;
    }

    /** Records that a fire is due since a monotonic time, and that the item starts it next. */
    void due(Fire fire, long since) {
        startsNext(fire);
        if (!fire.equals(dueFire)) {
            dueFire = fire;
            dueSince = since;
        }
    }

    /** Returns since when this instance has known the latest due fire to be due, monotonic. */
    long dueSince() {
        return dueSince;
    }

    /** Records that the next fire waits for a slot since a monotonic time. */
    void waitsForSlot(long since) {
        withoutSlotSince = withoutSlotSince == null ? since : withoutSlotSince;
    }

    /** Records that a due fire got no slot; returns true if it is the first time for this fire. */
    boolean foundNoSlot(Fire fire) {
        boolean first = !fire.equals(withoutSlot);
        withoutSlot = fire;
        return first;
    }

    /** Returns whether the next fire has waited for a slot for at least this long. */
    boolean withoutSlot(Duration atLeast, long monotonicNanos) {
        return withoutSlotSince != null && monotonicNanos - withoutSlotSince >= atLeast.toNanos();
    }

    /** Postpones the next decision about the item. */
    void quietUntil(Instant at) {
        if (state instanceof Idle idle) {
            state = idle.quietUntil(at);
        }
    }

    /** Has the next step decide which fire is due. */
    void decideAgain() {
        quietUntil(Instant.MIN);
    }

    // ---- reading the nodes

    /** Has the nodes read again, unless a request under way decides that. */
    void reread() {
        state = state.reread();
    }

    /** Has the nodes read again whatever is under way, after a failure inside the engine. */
    void invalidate() {
        state = new Unread(state.run());
    }

    /** Records that the nodes are being read. */
    void reading() {
        state = new Reading(state.run(), false);
    }

    /** Records that the nodes could not be read. */
    void readFailed() {
        if (state instanceof Reading) {
            invalidate();
        }
    }

    /** Records that another instance changed one of the nodes; returns whether they must be read now. */
    boolean nodesChanged() {
        HostedState before = state;
        state = before instanceof Idle && quarantined() ? before.reread() : before.nodesChanged();
        return state instanceof Unread && !(before instanceof Unread);
    }

    /** Records that the record was deleted for good; the result of a run can no longer be recorded. */
    Finding recordDeleted() {
        pendingNonce = null;
        record = null;
        remembered = null;
        problem = null;
        ActiveRun active = state.run();
        state = active == null || active.end() != null ? new Foreign(null) : new Running(active);
        return active == null ? Finding.SETTLED : Finding.FENCED;
    }

    /** Compares the nodes that were read with the state in this instance, and resolves an unknown outcome. */
    Finding take(ItemView view, Session session) {
        boolean outdated = state instanceof Reading reading && reading.outdated();
        Finding finding = compare(view, session);
        if (outdated && finding != Finding.ORPHANED && (state instanceof Foreign || state instanceof Idle)) {
            state = state.reread();
        }
        return finding;
    }

    private Finding compare(ItemView view, Session session) {
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
            active = null; // the transaction of this claim completed it
        }
        if (active != null) {
            return compare(active, view, session);
        }
        boolean holdsNode = view.running() == session.id();
        if (claim != null
                && read.state() == ItemState.RUNNING
                && (holdsNode || (view.running() == 0 && claim.owner().equals(session.instanceId())))) {
            state = new Idle(Interruption.NONE, view.handoverNode(), Instant.MIN);
            // A claim sent while the session changed may carry the old session's name. Its running node belongs to the
            // new session, so the item is handed over: otherwise the node would stay as long as the new session.
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
            record = null; // it is another instance's, and this run must write nothing to it
            state = new Running(active);
            return Finding.FENCED;
        }
        // An own claim that is completed means that only the reply was lost, unless the leader settled the run as
        // interrupted.
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
     * Records that a transaction with a decision about the item was sent, alone or with the completion of the run before.
     *
     * @param decided decision, whose events are published once its outcome is known
     * @param previous time of the last completed fire; null if there is none or it is unknown
     */
    void deciding(DecisionEvents decided, @Nullable Instant previous) {
        pendingEvents = decided;
        pendingNonce = decided.to().unfinished() ? decided.to().requireRun().nonce() : null;
        previousFire = previous;
        state = state instanceof Idle idle ? new Claiming(idle) : new Completing(requireRun());
    }

    /** Records that the completion of the run was sent. */
    void completing() {
        state = new Completing(requireRun());
    }

    /** Records that a write other than a claim or completion was sent. */
    void restoring() {
        state = new Restoring(state.run());
    }

    /** Records the completion of the run. An item that was handed over is taken up like any other. */
    void completed(Versioned<ItemRecord> written) {
        wrote(written);
        if (written.value().unfinished()) {
            state = new Unread(null);
        }
    }

    /** Records a decision that ZooKeeper has accepted; returns its events, which are due now. */
    @Nullable DecisionEvents decided(Versioned<ItemRecord> written) {
        wrote(written);
        return takeEvents();
    }

    private void wrote(Versioned<ItemRecord> written) {
        record = written;
        // Only an operator releases a quarantined item: reading sets the watch on its record.
        state = quarantined() ? new Unread(null) : Idle.WRITTEN;
    }

    /** Records that ZooKeeper rejected the transaction under way. */
    void rejected() {
        pendingNonce = null;
        pendingEvents = null;
        state = state.rejected();
    }

    /** Records that the outcome of the transaction under way is unknown: reading resolves it. */
    void outcomeUnknown() {
        invalidate();
    }

    /** Returns the events of a decision of unknown or pending outcome; null if there are none. */
    @Nullable DecisionEvents pendingEvents() {
        return pendingEvents;
    }

    /** Removes and returns the events of the pending decision; null if there are none. */
    @Nullable DecisionEvents takeEvents() {
        DecisionEvents taken = pendingEvents;
        pendingEvents = null;
        return taken;
    }

    /** Returns how the last claim was interrupted. */
    Interruption interruption() {
        return state instanceof Idle idle ? idle.interruption() : Interruption.NONE;
    }

    /** Returns whether a failover node exists that a claim of the item must delete. */
    boolean failoverNode() {
        ActiveRun active = state.run();
        return state instanceof Idle idle ? idle.failoverNode() : active != null && active.failoverNode();
    }

    /** Returns the time of the fire before the claimed one; null if there is none or it is unknown. */
    @Nullable Instant previousFire() {
        return previousFire;
    }

    // ---- the run

    /** Returns the run in this instance, from its claim to its completion; null for none. */
    @Nullable ItemRun run() {
        ActiveRun active = state.run();
        return active == null ? null : active.run();
    }

    /** Returns the run whose code has not returned yet; null for none. */
    @Nullable ItemRun executing() {
        ActiveRun active = state.run();
        return active == null || active.end() != null ? null : active.run();
    }

    /** Returns the run with its bookkeeping; null for none. */
    @Nullable ActiveRun activeRun() {
        return state.run();
    }

    private ActiveRun requireRun() {
        return Objects.requireNonNull(state.run(), "run");
    }

    /** Returns whether code of this process runs or its end is still to be recorded. */
    boolean busy() {
        return state.run() != null || pendingNonce != null || state instanceof Claiming || state instanceof Restoring;
    }

    /** Records the start of the run. */
    void started(ItemRun run, ClaimedBatch batch) {
        pendingNonce = null;
        startsNext(null);
        dueFire = null;
        state = new Running(new ActiveRun(run, batch));
    }

    /**
     * Records that the user's code has returned.
     *
     * @return whether it was the last of its batch
     */
    boolean returned(RunEnd end, Instant at) {
        boolean last = requireRun().returned(end, at);
        state = state.returned(record != null);
        return last;
    }

    /** Returns the batch that the run was claimed in. */
    ClaimedBatch batch() {
        return requireRun().batch();
    }

    /** Marks a run without a time limit that takes too long; returns true the first time. */
    boolean markOverlong() {
        return requireRun().markOverlong();
    }

    /** Returns whether the run was marked as taking too long. */
    boolean overlong() {
        ActiveRun active = state.run();
        return active != null && active.overlong();
    }

    /** Returns whether this session items the item's running node. */
    boolean holdsRunningNode() {
        ActiveRun active = state.run();
        return active != null && active.runningNode();
    }

    /** Has the run completed by itself, without the next claim in its transaction. */
    void completeAlone() {
        requireRun().completeAlone();
    }

    /** Returns whether one transaction may complete the run and claim the next. */
    boolean mayClaimNext() {
        return state instanceof Ended ended
                && ended.run().runningNode()
                && !ended.run().completesAlone();
    }

    /** Forgets a run whose end cannot be recorded. */
    void forgetEndedRun() {
        ActiveRun active = state.run();
        if (active != null && active.end() != null) {
            state = new Foreign(null);
        }
    }

    /** Returns the record that the completion of the run writes. */
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

    /** Returns the record with the pause before the next run, if the schedule derives it from the ended run. */
    private static ItemRecord delayed(ItemRecord ended, Schedule schedule, boolean idle) {
        boolean decidedByRun = schedule.unbounded() instanceof Schedule.Adaptive
                || schedule.unbounded() instanceof Schedule.Continuous;
        return decidedByRun || ended.currentDelay() != null ? AdaptiveDelay.after(ended, schedule, idle) : ended;
    }
}
