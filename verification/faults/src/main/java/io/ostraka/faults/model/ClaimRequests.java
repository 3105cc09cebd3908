package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ClaimWorld.Answer;
import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Interruption;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.ClaimWorld.Request;
import io.ostraka.faults.model.ClaimWorld.Stage;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;

/**
 * Requests of an instance and their results, which may stay unknown. The instance decides each request from its view of
 * the record.
 */
final class ClaimRequests {
    private final Set<Rule> without;
    private final ClaimRuns runs;
    private final ClaimStops stops;

    ClaimRequests(Set<Rule> without, ClaimRuns runs, ClaimStops stops) {
        this.without = without;
        this.runs = runs;
        this.stops = stops;
    }

    void steps(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.request == Request.NONE) {
            claim(now, each, steps);
            complete(now, each, steps);
        } else if (each.phase == Phase.CLAIMING || each.phase == Phase.COMPLETING) {
            if (each.answer != Answer.UNDER_WAY) {
                answer(each, steps);
            }
            loseReply(each, steps);
        } else {
            vanish(each, steps);
        }
    }

    /** Claims a due fire. The instance chooses the fire by the record alone, and an unfinished fire comes first. */
    private void claim(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.phase != Phase.READY || each.draining || each.hasRun()) {
            return;
        }
        if (each.known.unfinished()) {
            takeOver(now, each, steps);
        } else if (each.known.state == ItemState.IDLE) {
            for (int fire = 1; fire <= now.size.fires(); fire++) {
                if (fire > each.known.cursor || without.contains(Rule.CURSOR)) {
                    claimFire(each, fire, steps);
                }
            }
        }
    }

    /** Claims a fire that is due on this instance's clock, and skips earlier undecided fires. */
    private static void claimFire(Instance each, int fire, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        me.written.set(me.known);
        me.written.cursor = Math.max(me.known.cursor, fire - 1);
        sendClaim(me, fire, 1, 0);
        steps.take(next, () -> me.name() + " claims fire " + fire);
    }

    private static void sendClaim(Instance me, int fire, int attempt, int crashes) {
        me.written.state = ItemState.RUNNING;
        me.written.fire = fire;
        me.written.attempt = attempt;
        me.written.crashes = crashes;
        me.written.owner = me.session;
        me.awaiting = true;
        send(me, Request.CLAIM, Phase.CLAIMING);
    }

    private static void send(Instance me, Request request, Phase phase) {
        me.request = request;
        me.answer = Answer.UNDER_WAY;
        me.writtenCurrent = me.current;
        me.phase = phase;
    }

    /**
     * Takes over an interrupted fire with its next attempt. If the fire has been stopped, failover is off, or the fire
     * has reached the crash limit, the fire is ended instead.
     */
    private void takeOver(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        int fire = me.known.fire;
        int crashes = me.known.crashes + (me.interruption == Interruption.CRASHED ? 1 : 0);
        me.written.set(me.known);
        if (stops.settles(each, fire)) {
            me.written.state = ItemState.IDLE;
            me.written.cursor = Math.max(me.known.cursor, fire);
            send(me, Request.CANCEL, Phase.CLAIMING);
            steps.take(
                    next, () -> me.name() + " sends a write that records the stopped fire " + fire + " as cancelled");
        } else if (!now.size.failover()) {
            me.written.state = ItemState.IDLE;
            me.written.cursor = Math.max(me.known.cursor, fire);
            send(me, Request.SETTLE, Phase.CLAIMING);
            steps.take(next, () -> me.name() + " sends a write that records fire " + fire + " as interrupted");
        } else if (crashes >= now.size.maxAttempts()) {
            me.written.state = ItemState.QUARANTINED;
            me.written.cursor = Math.max(me.known.cursor, fire);
            send(me, Request.SETTLE, Phase.CLAIMING);
            steps.take(
                    next,
                    () -> me.name() + " sends a write that records fire " + fire
                            + " as crashed and quarantines the item");
        } else {
            int taken = without.contains(Rule.TAKEOVER_OF_OWN_FIRE) ? fire + 1 : fire;
            if (taken <= now.size.fires()) {
                int more = without.contains(Rule.NEXT_ATTEMPT) ? 0 : 1;
                int attempt = Math.min(me.known.attempt + more, ClaimWorld.ATTEMPTS - 1);
                sendClaim(me, taken, attempt, crashes);
                steps.take(next, () -> me.name() + " takes over fire " + taken + ", attempt " + attempt);
            }
        }
    }

    /**
     * Completes a run that has returned. If the run has given up, hands the fire over or records it as interrupted; if
     * the fire has been stopped, records it as cancelled.
     */
    private void complete(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        boolean returned = each.stage == Stage.RETURNED;
        if (each.phase != Phase.HOLDING || !(returned || each.stage == Stage.GAVE_UP)) {
            return;
        }
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        boolean cancelled = !returned && stops.settles(each, each.fire);
        boolean handsOver = !returned && !cancelled && now.size.failover();
        me.written.set(me.known);
        me.written.fire = me.fire;
        me.written.state = handsOver ? ItemState.HANDED_OVER : ItemState.IDLE;
        me.written.cursor = handsOver ? me.known.cursor : Math.max(me.known.cursor, me.fire);
        Request request = handsOver
                ? Request.HAND_OVER
                : returned ? Request.COMPLETE : cancelled ? Request.CANCEL : Request.SETTLE;
        send(me, request, Phase.COMPLETING);
        String verb =
                switch (request) {
                    case HAND_OVER -> " sends a hand-over of";
                    case COMPLETE -> " sends a completion of";
                    case CANCEL -> " sends a cancellation of";
                    default -> " sends an interruption of";
                };
        steps.take(next, () -> me.name() + verb + " fire " + me.fire);
    }

    /**
     * Delivers the reply. It may arrive so late that the session has already ended, without the client knowing this.
     */
    private void answer(Instance each, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        me.awaiting = false;
        String what;
        if (me.answer == Answer.REFUSED) {
            me.phase = Phase.UNREAD;
            what = " learns that its request was refused, and reads again";
        } else if (me.request == Request.CLAIM) {
            knowsWhatItWrote(me);
            runs.start(next, me, me.written.fire, me.writtenToken);
            what = " learns that its claim succeeded, and the run starts";
        } else if (me.request == Request.HAND_OVER) {
            me.phase = Phase.UNREAD;
            me.forgetRun();
            what = " learns that its hand-over succeeded";
        } else {
            knowsWhatItWrote(me);
            me.forgetRun();
            me.phase = Phase.READY;
            what = " learns that its write of the fire's end succeeded";
        }
        me.forgetRequest();
        steps.take(next, () -> me.name() + what);
    }

    private static void knowsWhatItWrote(Instance me) {
        me.known.set(me.written);
        me.current = me.writtenCurrent;
    }

    /**
     * Loses the connection before the reply arrives. The result is then unknown, so the instance reads the nodes again.
     */
    private void loseReply(Instance each, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        boolean claim = me.request == Request.CLAIM;
        boolean completion = me.request == Request.COMPLETE;
        me.phase = Phase.UNREAD;
        String what = " gets no reply, and will read again";
        if (without.contains(Rule.UNKNOWN_IS_NOT_SUCCESS) && (claim || completion)) {
            me.awaiting = false;
            what = " gets no reply, and takes it for success";
            if (claim) {
                knowsWhatItWrote(me);
                runs.start(next, me, me.written.fire, Math.max(me.writtenToken, next.itemToken));
            } else {
                me.forgetRun();
            }
        } else if (without.contains(Rule.UNKNOWN_IS_NOT_FAILURE) && (claim || completion)) {
            me.awaiting = false;
            what = " gets no reply, and takes it for failure";
            if (claim) {
                me.phase = Phase.READY;
            } else {
                me.phase = Phase.HOLDING;
                runs.startAgain(next, me);
            }
        }
        if (me.answer != Answer.UNDER_WAY) {
            me.forgetRequest();
        }
        String text = what;
        steps.takeFault(next, () -> me.name() + text);
    }

    /** Loses a request. The instance no longer waits for the reply. */
    private static void vanish(Instance each, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        me.forgetRequest();
        steps.take(next, () -> "the last request of " + me.name() + " is lost");
    }
}
