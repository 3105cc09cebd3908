package io.ostraka.faults.model;

import io.ostraka.faults.model.ClaimWorld.End;
import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.ClaimWorld.Stage;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;

/** Steps of the runs of user code, and of the resource to which they write. */
final class ClaimRuns {
    private final boolean fenceFirst;
    private final ClaimStops stops;

    ClaimRuns(Set<Rule> without, ClaimStops stops) {
        this.stops = stops;
        fenceFirst = !without.contains(Rule.FENCE_FIRST);
    }

    void steps(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.stage == Stage.STARTING) {
            begin(now, each, steps);
        }
        if (each.stage == Stage.WORKING) {
            write(now, each, steps);
            if (!now.stopped[each.fire]) {
                leave(each, Stage.RETURNED, " returns", steps);
            }
        }
        if (each.executing() && stops.cancels(each)) {
            leave(each, Stage.RETURNED, " returns because its fire was stopped", steps);
        }
        if (each.executing() && (each.draining || each.claimedIn != each.session || each.phase == Phase.FENCED)) {
            leave(each, Stage.GAVE_UP, " gives up because it was stopped", steps);
        }
    }

    /** Starts the code of a claim that has succeeded as far as the instance knows. */
    void start(ClaimWorld next, Instance me, int fire, int token) {
        me.phase = Phase.HOLDING;
        me.stage = Stage.STARTING;
        me.fire = fire;
        me.token = token;
        me.claimedIn = me.session;
        check(next, me);
    }

    /** Starts the code a second time under the same claim. */
    void startAgain(ClaimWorld next, Instance me) {
        me.stage = Stage.STARTING;
        me.token = Math.max(me.token, next.itemToken);
        check(next, me);
    }

    private static void check(ClaimWorld next, Instance me) {
        if (!next.alive[me.claimedIn]) {
            return; // the run has no session any more, and the resource will refuse its token
        }
        if (next.ends[me.fire] == End.COMPLETED) {
            next.violate("I2: fire " + me.fire + " starts again after its completion");
        }
        for (Instance each : next.instances) {
            if (each != me && each.executing() && next.alive[each.claimedIn]) {
                next.violate(
                        "I1: the item runs in " + each.name() + " and in " + me.name() + ", both with a live session");
            }
        }
    }

    /** Sends the token to the resource before any other call. The resource then refuses every earlier run. */
    private void begin(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        if (fenceFirst && me.token < now.fence) {
            me.stage = Stage.GAVE_UP;
            returned(me);
            steps.take(
                    next,
                    () -> me.name() + "'s run shows its token and gives up, because the resource has seen a later one");
            return;
        }
        me.stage = Stage.WORKING;
        next.working = Math.max(now.working, me.token);
        next.fence = fenceFirst ? me.token : now.fence;
        steps.take(
                next,
                () -> me.name() + "'s run " + (fenceFirst ? "shows its token and begins its work" : "begins its work"));
    }

    /** Writes to the resource with the token, any number of times. */
    private static void write(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.token < now.fence) {
            return;
        }
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        next.fence = me.token;
        if (me.token < now.working) {
            next.violate("I1: the resource accepts a write of an earlier run after a later run began its work");
        }
        steps.take(next, () -> me.name() + "'s run writes, and the resource accepts it");
    }

    private static void leave(Instance each, Stage how, String what, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        me.stage = how;
        returned(me);
        steps.take(next, () -> me.name() + "'s run" + what);
    }

    /** Makes the instance read the item again after a fenced run, which has no result. */
    private static void returned(Instance me) {
        if (me.phase == Phase.FENCED) {
            me.phase = Phase.UNREAD;
        }
    }
}
