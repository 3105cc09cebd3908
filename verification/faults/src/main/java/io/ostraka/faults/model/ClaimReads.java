package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Interruption;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.ClaimWorld.Request;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;

/** Reads of the item's nodes. After reading them, the instance compares them with its own run. */
final class ClaimReads {
    private final boolean recordFirst;
    private final boolean ownNonce;
    private final ClaimRuns runs;

    ClaimReads(Set<Rule> without, ClaimRuns runs) {
        recordFirst = !without.contains(Rule.RUNNING_AFTER_RECORD);
        ownNonce = !without.contains(Rule.OWN_NONCE);
        this.runs = runs;
    }

    void steps(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (!each.connected()) {
            return;
        }
        if (each.phase == Phase.UNREAD) {
            readOne(each, steps);
        } else if (each.phase == Phase.READING) {
            for (Interruption how : Interruption.values()) {
                readOther(now, each, how, steps);
            }
        }
    }

    /** Reads the record, after a sync. */
    private void readOne(Instance each, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        me.phase = Phase.READING;
        if (recordFirst) {
            readRecord(next, me);
        } else {
            me.readRunning = next.running;
        }
        steps.take(next, () -> me.name() + (recordFirst ? " reads the record" : " reads the running node"));
    }

    private static void readRecord(ClaimWorld next, Instance me) {
        me.known.set(next.item);
        me.current = true;
        me.readMine = me.mine;
    }

    /**
     * Reads the running node and the owner's registration after the record. If there is no running node, it was deleted
     * after the record had reached the state that the instance has read.
     */
    private void readOther(ClaimWorld now, Instance each, Interruption how, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        if (!recordFirst) {
            readRecord(next, me);
        }
        int running = recordFirst ? now.running : me.readRunning;
        boolean ownerLives = now.registered[me.known.owner];
        if (how == interruption(now, me, running, ownerLives, how)) {
            String found = take(next, me, running, how);
            steps.take(next, () -> me.name() + " reads the running node" + found);
        }
    }

    /**
     * Returns the state of the fire that the instance reads. This is {@code wished} if it is possible. After the end of
     * the owner's session, there is only a hint whether the owner's process is still alive, so the instance may mistake
     * a living process for a dead one.
     */
    private static Interruption interruption(
            ClaimWorld now, Instance me, int running, boolean ownerLives, Interruption wished) {
        if (running != ClaimWorld.NO_SESSION || !me.known.unfinished()) {
            return Interruption.NONE;
        }
        if (me.known.state == ItemState.HANDED_OVER) {
            return Interruption.GIVEN_UP;
        }
        if (ownerLives) {
            return Interruption.NONE;
        }
        boolean livesOn = wished == Interruption.GIVEN_UP
                && me.known.owner != ClaimWorld.NO_SESSION
                && now.instances[now.size.ownerOf(me.known.owner)].up;
        return livesOn ? Interruption.GIVEN_UP : Interruption.CRASHED;
    }

    private String take(ClaimWorld next, Instance me, int running, Interruption how) {
        boolean awaited = me.awaiting;
        me.awaiting = false;
        boolean holdsRunning = running == me.session;
        if (me.hasRun()) {
            boolean own = me.readMine || !ownNonce;
            if (own && me.known.state == ItemState.RUNNING) {
                me.phase = Phase.HOLDING;
                return ": the claim belongs to its run, which continues";
            }
            if (me.executing()) {
                me.phase = Phase.FENCED;
                return ": another instance has claimed the item, so its run is fenced";
            }
            me.forgetRun();
            settle(me, running, how);
            return ": another instance has ended its run's claim";
        }
        if (me.known.state == ItemState.RUNNING && me.known.owner == me.session) {
            if (awaited && me.readMine && holdsRunning) {
                runs.start(next, me, me.known.fire, next.itemToken);
                return ": its claim succeeded and the run starts";
            }
            return orphaned(me);
        }
        settle(me, running, how);
        return me.phase == Phase.UNREAD
                ? ": another instance has claimed the item"
                : how == Interruption.NONE ? ": the item is free" : ": the fire was interrupted (" + how + ")";
    }

    /** Handles a record that names this session although the session has no run: hands the fire over. */
    private static String orphaned(Instance me) {
        if (me.request != Request.NONE) {
            me.phase = Phase.UNREAD; // reads again, because a request with an unknown result is still under way
            return ": the claim is its own without a run, and a request is in flight";
        }
        me.written.set(me.known);
        me.written.state = ItemState.HANDED_OVER;
        me.writtenCurrent = me.current;
        me.request = Request.HAND_OVER;
        me.phase = Phase.COMPLETING;
        return ": the claim is its own without a run, so it sends a hand-over";
    }

    /**
     * Lets the instance claim the item if it is free. If the item has another owner or an unknown owner, the instance
     * reads it again.
     */
    private static void settle(Instance me, int running, Interruption how) {
        me.interruption = how;
        boolean free = running == ClaimWorld.NO_SESSION && (how != Interruption.NONE || !me.known.unfinished());
        me.phase = free ? Phase.READY : Phase.UNREAD;
    }
}
