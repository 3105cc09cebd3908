package io.ostraka.faults.model;

import io.ostraka.faults.model.ClaimWorld.End;
import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.ClaimWorld.Stage;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;

/** Users' code, and the resource that it writes to. */
final class ClaimRuns {
    private final boolean fenceFirst;

    ClaimRuns(Set<Rule> without) {
        fenceFirst = !without.contains(Rule.FENCE_FIRST);
    }

    void steps(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.stage == Stage.STARTING) {
            begin(now, each, steps);
        }
        if (each.stage == Stage.WORKING) {
            write(now, each, steps);
            leave(each, Stage.RETURNED, " returns", steps);
        }
        if (each.executing() && (each.draining || each.claimedIn != each.session || each.phase == Phase.FENCED)) {
            leave(each, Stage.GAVE_UP, ", told to end, gives up", steps);
        }
    }

    /** A claim holds, as far as its instance knows: the code starts. */
    void start(ClaimWorld next, Instance me, int fire, int token) {
        me.phase = Phase.HOLDING;
        me.stage = Stage.STARTING;
        me.fire = fire;
        me.token = token;
        me.claimedIn = me.session;
        check(next, me);
    }

    /** The code starts a second time under the same claim. */
    void startAgain(ClaimWorld next, Instance me) {
        me.stage = Stage.STARTING;
        me.token = Math.max(me.token, next.itemToken);
        check(next, me);
    }

    private static void check(ClaimWorld next, Instance me) {
        if (!next.alive[me.claimedIn]) {
            return; // a zombie: its token is what keeps it from doing harm
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

    /** It shows its token before anything else, so that from here on every earlier run is refused. */
    private void begin(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        if (fenceFirst && me.token < now.fence) {
            me.stage = Stage.GAVE_UP;
            returned(me);
            steps.take(next, () -> me.name() + "'s run shows its token: a later one was here, it gives up");
            return;
        }
        me.stage = Stage.WORKING;
        next.working = Math.max(now.working, me.token);
        next.fence = fenceFirst ? me.token : now.fence;
        steps.take(
                next,
                () -> me.name() + "'s run " + (fenceFirst ? "shows its token and begins its work" : "begins its work"));
    }

    /** It writes, with its token, as often as it likes. */
    private static void write(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.token < now.fence) {
            return; // refused
        }
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        next.fence = me.token;
        if (me.token < now.working) {
            next.violate("I1: the resource takes what an earlier run wrote after a later one had begun its work");
        }
        steps.take(next, () -> me.name() + "'s run writes, and the resource takes it");
    }

    private static void leave(Instance each, Stage how, String what, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[each.index];
        me.stage = how;
        returned(me);
        steps.take(next, () -> me.name() + "'s run" + what);
    }

    /** What a fenced run came to counts no more: the item is read as any other. */
    private static void returned(Instance me) {
        if (me.phase == Phase.FENCED) {
            me.phase = Phase.UNREAD;
        }
    }
}
