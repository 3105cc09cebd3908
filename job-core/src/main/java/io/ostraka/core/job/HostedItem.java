package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.decide.AdaptiveDelay;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import io.ostraka.core.run.RunSlots;
import io.ostraka.core.time.ClockCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What this instance knows of an item that it owns or still runs. Confined to its job's lane. */
final class HostedItem {
    /** What is under way for the item. */
    enum Phase {
        /** Its nodes must be read before anything else. */
        UNREAD,
        /** They are being read. */
        READING,
        /** Its record is known and nothing is under way. */
        READY,
        /** Another session has it; a watch or a later look tells when that is over. */
        WAITING,
        /** A transaction about it, without a run, is under way. */
        CLAIMING,
        /** Its run is under way. */
        RUNNING,
        /** Its run has ended; the completion is to be sent. */
        ENDED,
        /** The completion is under way. */
        COMPLETING
    }

    /** What reading has shown. */
    enum Finding {
        /** It stands as the phase now says. */
        SETTLED,
        /** A claim whose outcome was unknown holds: its run is to be started. */
        CLAIMED,
        /** The claim is this session's, which runs nothing of the kind: it is to be handed over. */
        ORPHANED,
        /** The item passed to another while its run went on: what the run comes to counts no more. */
        FENCED
    }

    /** The items of one claim; the gathering of completions tries to send them together, too. */
    static final class Cohort {
        private int left;
        /** Number of runs that wait for a thread. */
        private int waiting;

        private long waitingSince;
        private long longestWait;

        /** Marks that a run waits for a thread, from this monotonic time on. */
        synchronized void waits(long now) {
            waitingSince = waiting++ == 0 ? now : waitingSince;
        }

        /** Marks that a run has got its thread. */
        synchronized void begins(long now) {
            longestWait = longestWait(now);
            waiting--;
        }

        /** Returns the longest time, in nanoseconds, that a run waited for a thread: the delay of this machine. Any thread. */
        synchronized long longestWait(long now) {
            return waiting == 0 ? longestWait : Math.max(longestWait, now - waitingSince);
        }
    }

    final String item;
    Phase phase = Phase.UNREAD;

    @Nullable Versioned<ItemRecord> record;

    /** What it was when it could be read last, while it can't; null otherwise, or when nobody here knows. */
    @Nullable Versioned<ItemRecord> remembered;

    /** Why its record can't be used; null if it can. */
    @Nullable String problem;

    Interruption interruption = Interruption.NONE;
    boolean handover;
    boolean runningNode;
    /** Whether something was told of its nodes that what is being read of them may not show. */
    private boolean outdated;

    @Nullable String pendingNonce;

    @Nullable ItemRun run;

    @Nullable RunEnd end;

    /** Whether the log has said that its run takes too long. */
    boolean overlong;

    @Nullable Instant endedAt;

    /** Events of the transaction under way, if it is made; kept while its reply is unknown. */
    @Nullable DecisionEvents events;

    /** True once it was published that its present run is fenced. */
    private boolean fenced;

    private @Nullable Fire dueFire;
    private long dueSince;

    /** Where it has a place for a run that is being claimed; null otherwise. */
    RunSlots.@Nullable Pool place;

    private @Nullable Fire due;

    /** Since when that has waited for a place, monotonic; null when it doesn't. */
    private @Nullable Long placelessSince;

    /** The latest fire that found no place when it was due; null for none. */
    private @Nullable Fire placelessFire;

    private Cohort cohort = new Cohort();

    /** Whether its run's end is to be told by itself: told together with the next claim it was not, or would not be. */
    boolean endsApart;

    Instant quietUntil = Instant.MIN;
    /** The fire that was run before the one that is claimed; null when there is none, or nobody knows. */
    @Nullable Instant previousFire;

    HostedItem(String item) {
        this.item = item;
    }

    Versioned<ItemRecord> known() {
        return Objects.requireNonNull(record, "record");
    }

    /** It was decided what it is to start next; null for nothing. */
    void decided(@Nullable Fire next) {
        due = next;
        if (next == null) {
            placelessSince = null;
        }
    }

    /** Returns the fire that it is to start next, as was decided last; null when it is to start none, or has started it. */
    @Nullable Fire due() {
        return due;
    }

    /** What is due finds no place, now. */
    void waitsForPlace(long monotonicNanos) {
        placelessSince = placelessSince == null ? monotonicNanos : placelessSince;
    }

    /** A fire that is due finds no place; returns whether that is new. */
    boolean foundNoPlace(Fire fire) {
        boolean first = !fire.equals(placelessFire);
        placelessFire = fire;
        return first;
    }

    /** Tells whether what is due has waited for a place for so long. */
    boolean placeless(Duration atLeast, long monotonicNanos) {
        return placelessSince != null && monotonicNanos - placelessSince >= atLeast.toNanos();
    }

    /** A fire was found due. */
    void foundDue(Fire fire, long monotonicNanos) {
        if (!fire.equals(dueFire)) {
            dueFire = fire;
            dueSince = monotonicNanos;
        }
    }

    /** When its latest due fire was found due first, monotonic. */
    long dueSince() {
        return dueSince;
    }

    /** Takes note that its run is fenced; returns whether that is new. */
    boolean fence() {
        boolean first = !fenced;
        fenced = true;
        return first;
    }

    /** Tells whether code of this process runs, or its end is still to be told. */
    boolean busy() {
        return run != null || pendingNonce != null || phase == Phase.CLAIMING;
    }

    /** Whether its record says that fires of the future are decided, so that none starts until then. */
    boolean decidedAhead(ClockCheck clock) {
        return record != null && clock.future(record.value().cursor());
    }

    /** Has its nodes read again before anything else, unless that or a transaction is under way. */
    void reread() {
        if (phase != Phase.READING && phase != Phase.CLAIMING && phase != Phase.COMPLETING) {
            phase = Phase.UNREAD;
        }
    }

    /** Nobody knows how far the engine came with it: it is read again, whatever is under way. */
    void doubt() {
        phase = Phase.UNREAD;
    }

    /** It is about to be read. */
    void reading() {
        phase = Phase.READING;
        outdated = false;
    }

    /**
     * What it waited for is there: another's running node is gone, or its record, which was quarantined, has changed.
     *
     * @return whether its nodes are to be read now
     */
    boolean changed() {
        if (phase == Phase.WAITING || (phase == Phase.READY && parked())) {
            reread();
            return true;
        }
        outdated = true; // if it is being read, that may be older
        return false;
    }

    private boolean parked() {
        return known().value().state() == ItemState.QUARANTINED;
    }

    /** Takes a record that this instance has just written. */
    void wrote(Versioned<ItemRecord> next) {
        record = next;
        interruption = Interruption.NONE;
        handover = false;
        quietUntil = Instant.MIN;
        // nobody but an operator moves a parked item on: reading has its record watched
        phase = parked() ? Phase.UNREAD : Phase.READY;
    }

    /** Its run begins. */
    void started(ItemRun started, Cohort together) {
        pendingNonce = null;
        decided(null);
        dueFire = null;
        fenced = false;
        run = started;
        runningNode = true;
        phase = Phase.RUNNING;
        cohort = together;
        cohort.left++;
    }

    /** Those that its present run was claimed with, or its last. */
    Cohort cohort() {
        return cohort;
    }

    /**
     * Its code has returned.
     *
     * @return whether it was the last of those claimed together
     */
    boolean ended(RunEnd how, Instant at) {
        end = how;
        endedAt = at;
        if (phase == Phase.RUNNING) {
            phase = record == null ? Phase.UNREAD : Phase.ENDED;
        }
        return --cohort.left <= 0;
    }

    /** Whether its run's end may be told in one transaction with the next claim, if that is due. */
    boolean mayGoOn() {
        return phase == Phase.ENDED && run != null && runningNode && !endsApart;
    }

    /** Forgets its run. */
    void runOver() {
        endsApart = false;
        overlong = false;
        run = null;
        end = null;
        endedAt = null;
        runningNode = false;
    }

    /** Returns what the record becomes by the run's end. A run that gave up is not completed by its return. */
    ItemRecord ending(JobConfiguration job) {
        ItemRecord present = known().value();
        if (!present.requireRun()
                .nonce()
                .equals(Objects.requireNonNull(run, "run").claim().nonce())) {
            throw new IllegalStateException(
                    run + " would end the claim " + present.requireRun().nonce());
        }
        Instant at = Objects.requireNonNull(endedAt, "endedAt");
        RunEnd how = Objects.requireNonNull(end, "end");
        ItemRecord tried = present.returned(run.attempt(), run.fencingToken());
        if (!run.gaveUp(how)) {
            ItemRecord ended = tried.completed(at, how.outcome(), how.error());
            return delayed(ended, run.schedule(), how.idle()).quarantinedAfter(job.quarantineAfter());
        }
        return job.failover()
                ? tried.handedOver()
                : delayed(tried.completed(at, ItemOutcome.INTERRUPTED, "given up in mid-run"), run.schedule(), false);
    }

    /** Returns the record with the delay before the next run, where the schedule lets the ended run decide on it. */
    private static ItemRecord delayed(ItemRecord ended, Schedule schedule, boolean idle) {
        boolean decidedByRun = schedule.unbounded() instanceof Schedule.Adaptive
                || schedule.unbounded() instanceof Schedule.Continuous;
        return decidedByRun || ended.currentDelay() != null ? AdaptiveDelay.after(ended, schedule, idle) : ended;
    }

    /** Its record is gone for good, and with it whatever could be told of a run. */
    Finding gone() {
        pendingNonce = null;
        record = null;
        remembered = null;
        problem = null;
        if (run == null) {
            phase = Phase.WAITING;
            return Finding.SETTLED;
        }
        if (end == null) {
            phase = Phase.RUNNING;
        } else {
            runOver();
            phase = Phase.WAITING;
        }
        return Finding.FENCED;
    }

    /** Compares what was read with what this instance does, and resolves what it could not know. */
    Finding take(ItemView view, Session session) {
        Finding finding = compare(view, session);
        if (outdated && (phase == Phase.WAITING || phase == Phase.READY)) {
            phase = Phase.UNREAD;
        }
        return finding;
    }

    private Finding compare(ItemView view, Session session) {
        quietUntil = Instant.MIN;
        handover = view.handoverNode();
        Versioned<ItemRecord> before = record;
        record = view.record();
        if (record != null) {
            remembered = null;
            problem = null;
        } else {
            remembered = before == null ? remembered : before;
            problem = view.damage() == null
                    ? "the record of item " + item + " is missing"
                    : view.damage().text();
        }
        String awaited = pendingNonce;
        pendingNonce = null;
        if (record == null) {
            phase = run == null ? Phase.WAITING : end == null ? Phase.RUNNING : Phase.WAITING;
            return Finding.SETTLED;
        }
        ItemRecord read = record.value();
        Run claim = read.run();
        boolean holdsNode = view.running() == session.id();
        if (run != null && claim != null && claim.nonce().equals(awaited)) {
            runOver(); // its end was told with this claim
        }
        if (run != null) {
            boolean own = claim != null && claim.nonce().equals(run.claim().nonce());
            if (own && read.state() == ItemState.RUNNING) {
                runningNode = holdsNode;
                phase = end == null ? Phase.RUNNING : Phase.ENDED;
                return Finding.SETTLED;
            }
            if (end == null) {
                record = null; // it is another's now, and nothing of this run may be written to it
                phase = Phase.RUNNING;
                return Finding.FENCED;
            }
            // with a run of one's own that is completed the reply was lost; unless it was given up for it
            boolean givenUp = read.outcome() == ItemOutcome.INTERRUPTED && !run.gaveUp(end);
            runOver();
            if (!own || givenUp) {
                settle(view, session);
                return Finding.FENCED;
            }
        } else if (claim != null
                && read.state() == ItemState.RUNNING
                && (holdsNode || (view.running() == 0 && claim.owner().equals(session.instanceId())))) {
            // a claim that was sent as the session changed may have gone out in the new one, under the old one's name;
            // to the old one its node is another's: given up now, the node would stay for as long as the new one lives
            if (claim.nonce().equals(awaited) && holdsNode) {
                return Finding.CLAIMED;
            }
            runningNode = holdsNode;
            phase = Phase.READY;
            return Finding.ORPHANED;
        }
        settle(view, session);
        return Finding.SETTLED;
    }

    private void settle(ItemView view, Session session) {
        interruption = Interruption.NONE;
        boolean interrupted = view.interrupted();
        if (interrupted) {
            Run claim = known().value().requireRun();
            boolean livesOn = session.earlierIds().contains(claim.owner())
                    || (view.handover() != null && view.handover().processLives());
            interruption = livesOn || known().value().state() == ItemState.HANDED_OVER
                    ? Interruption.GIVEN_UP
                    : Interruption.CRASHED;
        }
        boolean free = view.running() == 0 && (interrupted || !known().value().unfinished());
        phase = free ? Phase.READY : Phase.WAITING;
    }
}
