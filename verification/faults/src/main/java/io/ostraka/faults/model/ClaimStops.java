package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ClaimWorld.End;
import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;

/**
 * An operator's requests to stop claimed fires. Each request is a node of its own, which instances may read at any time
 * after its creation. The leader deletes it after the fire has ended.
 */
final class ClaimStops {
    private final boolean afterTakeover;
    private final boolean withoutRecord;

    ClaimStops(Set<Rule> without) {
        afterTakeover = !without.contains(Rule.STOP_AFTER_TAKEOVER);
        withoutRecord = !without.contains(Rule.STOP_WITHOUT_RECORD);
    }

    /** Stops the fire in the record. */
    void request(ClaimWorld now, Steps<ClaimWorld> steps) {
        int fire = now.item.fire;
        if (!now.size.stops() || !now.item.unfinished() || now.stopped[fire]) {
            return;
        }
        ClaimWorld next = steps.next();
        next.stopped[fire] = true;
        if (!withoutRecord) {
            writeRecord(next, fire);
        }
        steps.takeFault(next, () -> "an operator stops fire " + fire);
    }

    /** Ends the fire directly in the record, without its owner. A rule of the protocol forbids this step. */
    private static void writeRecord(ClaimWorld next, int fire) {
        for (Instance each : next.instances) {
            if (each.executing() && each.fire == fire && each.mine && next.alive[each.claimedIn]) {
                next.violate("I1: fire " + fire + " is recorded as cancelled while it runs with a live session");
            }
        }
        next.item.state = ItemState.IDLE;
        next.item.cursor = Math.max(next.item.cursor, fire);
        next.item.forgetRun();
        next.running = ClaimWorld.NO_SESSION;
        next.ends[fire] = End.COMPLETED;
        next.recordWritten(null);
    }

    /** Lets an instance read the stops, as it does after a watch event or a reconnection. */
    void learn(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        for (int fire = 1; fire < now.stopped.length; fire++) {
            if (now.stopped[fire] && !each.knowsStop[fire] && each.connected()) {
                int learnt = fire;
                ClaimWorld next = steps.next();
                next.instances[each.index].knowsStop[fire] = true;
                steps.take(next, () -> each.name() + " reads the stop of fire " + learnt);
            }
        }
    }

    /** Returns whether an instance ends a fire as cancelled instead of running it or handing it over. */
    boolean settles(Instance each, int fire) {
        return each.knowsStop[fire] && afterTakeover;
    }

    /** Returns whether an instance stops its run. */
    boolean cancels(Instance each) {
        boolean tookOver = each.phase == Phase.HOLDING && each.current && each.known.attempt > 1;
        return each.knowsStop[each.fire] && (afterTakeover || !tookOver);
    }
}
