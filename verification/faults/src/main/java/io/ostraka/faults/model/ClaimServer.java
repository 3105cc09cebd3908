package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ClaimWorld.Answer;
import io.ostraka.faults.model.ClaimWorld.End;
import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.ClaimWorld.Request;
import io.ostraka.faults.model.Model.Steps;
import java.util.Arrays;
import java.util.Set;

/** The coordination service. It applies each request atomically, at any time while the sender's session is alive. */
final class ClaimServer {
    private final boolean claimVersion;
    private final boolean runningInClaim;
    private final boolean completionVersion;

    ClaimServer(Set<Rule> without) {
        claimVersion = !without.contains(Rule.CLAIM_VERSION);
        runningInClaim = !without.contains(Rule.RUNNING_IN_CLAIM);
        completionVersion = !without.contains(Rule.COMPLETION_VERSION);
    }

    void steps(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.request == Request.NONE || each.answer != Answer.UNDER_WAY || !each.connected()) {
            return;
        }
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        Request request = me.request;
        boolean waited = me.phase == Phase.CLAIMING || me.phase == Phase.COMPLETING;
        boolean holds =
                switch (request) {
                    case CLAIM -> claim(next, me);
                    case SETTLE -> settle(next, me, End.INTERRUPTED);
                    case CANCEL -> settle(next, me, End.COMPLETED);
                    case COMPLETE -> complete(next, me);
                    case HAND_OVER -> handOver(next, me);
                    case NONE -> false;
                };
        me.answer = holds ? Answer.HOLDS : Answer.REFUSED;
        if (!waited) {
            me.forgetRequest();
        }
        steps.take(
                next,
                () -> "the server " + (holds ? "applies" : "refuses") + " " + me.name() + "'s " + named(request)
                        + (waited ? "" : ", late"));
    }

    private static String named(Request request) {
        return switch (request) {
            case NONE -> "nothing";
            case CLAIM -> "claim";
            case SETTLE -> "end without a run";
            case CANCEL -> "cancellation";
            case COMPLETE -> "completion";
            case HAND_OVER -> "hand-over";
        };
    }

    /** Applies a claim: checks and writes the record, and creates the running node, in one transaction. */
    private boolean claim(ClaimWorld next, Instance me) {
        if (!next.registered[me.session]
                || (claimVersion && !me.writtenCurrent)
                || (runningInClaim && next.running != ClaimWorld.NO_SESSION)) {
            return false;
        }
        int fire = me.written.fire;
        if (next.ends[fire] != End.OPEN) {
            next.violate("I2: fire " + fire + " is claimed though it has ended (" + next.ends[fire] + ")");
        }
        if (next.item.unfinished() && next.item.fire != fire && next.ends[next.item.fire] == End.OPEN) {
            next.violate(
                    "I3: fire " + next.item.fire + " was interrupted and disappears from the record without an end");
        }
        if (next.item.unfinished()
                && next.item.fire == fire
                && me.written.attempt <= next.item.attempt
                && next.item.attempt < ClaimWorld.ATTEMPTS - 1) {
            next.violate("I3: fire " + fire + " is claimed twice as attempt " + me.written.attempt);
        }
        for (int skipped = next.item.cursor + 1; skipped <= me.written.cursor; skipped++) {
            if (next.ends[skipped] == End.OPEN) {
                next.ends[skipped] = End.SKIPPED;
            }
        }
        write(next, me);
        next.running = runningInClaim ? me.session : ClaimWorld.NO_SESSION;
        next.itemToken = nextToken(next);
        me.writtenToken = next.itemToken;
        for (Instance each : next.instances) {
            each.mine = each == me;
        }
        return true;
    }

    private static void write(ClaimWorld next, Instance me) {
        next.item.set(me.written);
        next.recordWritten(me);
    }

    /** Returns the number of the next transaction, which is larger than all earlier numbers. */
    private static int nextToken(ClaimWorld next) {
        int largest = Math.max(Math.max(next.itemToken, next.fence), next.working);
        for (Instance each : next.instances) {
            largest = Math.max(largest, Math.max(each.token, each.writtenToken));
        }
        return largest + 1;
    }

    /**
     * Applies the end of an interrupted or stopped fire. The instance has found the fire interrupted, or its own run of
     * the fire has given up.
     */
    private static boolean settle(ClaimWorld next, Instance me, End how) {
        boolean takeover = me.phase == Phase.CLAIMING || !me.hasRun();
        if (!me.writtenCurrent || (takeover && !next.registered[me.session])) {
            return false;
        }
        int fire = me.written.fire;
        boolean runs = Arrays.stream(next.instances)
                .anyMatch(each ->
                        each != me && each.fire == fire && each.executing() && each.mine && next.alive[each.claimedIn]);
        if (runs) {
            next.violate("I1: fire " + fire + " is recorded as interrupted while it runs with a live session");
        }
        if (next.ends[fire] == End.COMPLETED) {
            next.violate("I2: fire " + fire + " is completed a second time");
        }
        end(next, me, how);
        return true;
    }

    /**
     * Applies a write of the record, if the record still has the expected version. Also deletes the running node if the
     * same session has created it.
     */
    private boolean complete(ClaimWorld next, Instance me) {
        if (completionVersion && !me.writtenCurrent) {
            return false;
        }
        if (next.ends[me.written.fire] == End.COMPLETED) {
            next.violate("I2: fire " + me.written.fire + " is completed a second time");
        }
        end(next, me, End.COMPLETED);
        return true;
    }

    private static void end(ClaimWorld next, Instance me, End how) {
        int fire = me.written.fire;
        write(next, me);
        if (next.running == me.session) {
            next.running = ClaimWorld.NO_SESSION;
        }
        next.ends[fire] = how;
        if (next.item.state == ItemState.QUARANTINED || next.item.state == ItemState.IDLE) {
            next.item.forgetRun();
        }
    }

    /** Applies a hand-over: the fire stays in the record, for another instance to take over. */
    private static boolean handOver(ClaimWorld next, Instance me) {
        if (!me.writtenCurrent) {
            return false;
        }
        write(next, me);
        if (next.running == me.session) {
            next.running = ClaimWorld.NO_SESSION;
        }
        return true;
    }
}
