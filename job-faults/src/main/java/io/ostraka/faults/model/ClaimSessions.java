package io.ostraka.faults.model;

import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.Model.Steps;

/** What befalls processes and their sessions. */
final class ClaimSessions {
    void steps(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (!each.up) {
            start(now, each.index, steps);
            return;
        }
        kill(each.index, steps);
        drain(now, each, steps);
        leave(now, each, steps);
        exit(now, each, steps);
        beginNextSession(now, each, steps);
    }

    /** A process starts, or starts again, with nothing known; sessions of an earlier life may still be alive. */
    private static void start(ClaimWorld now, int index, Steps<ClaimWorld> steps) {
        int session = free(now, index);
        if (session != ClaimWorld.NO_SESSION) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[index];
            me.up = true;
            register(next, me, session);
            steps.take(next, () -> me.name() + " starts, with a session of its own, and registers");
        }
    }

    private static void register(ClaimWorld next, Instance me, int session) {
        me.session = session;
        next.alive[session] = true;
        next.registered[session] = true;
        me.phase = Phase.UNREAD;
    }

    /** A session ends at the server, with its nodes; its client, if there is one, does not know. */
    void expire(ClaimWorld now, Steps<ClaimWorld> steps) {
        for (int session = 1; session < now.alive.length; session++) {
            if (now.alive[session]) {
                ClaimWorld next = steps.next();
                Instance owner = next.instances[now.size.ownerOf(session)];
                end(next, session);
                if (owner.session == session) {
                    steps.befall(next, () -> owner.name() + "'s session expires at the server; it is not told");
                } else {
                    steps.take(next, () -> "the session that " + owner.name() + " has left behind expires");
                }
            }
        }
    }

    private static void end(ClaimWorld next, int session) {
        next.alive[session] = false;
        next.registered[session] = false;
        if (next.running == session) {
            next.running = ClaimWorld.NO_SESSION;
        }
    }

    /** A process learns that its session is over, and has another; what was unanswered will never be answered. */
    private static void beginNextSession(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        int session = free(now, each.index);
        if (!now.alive[each.session] && session != ClaimWorld.NO_SESSION) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            register(next, me, session);
            me.forgetRequest();
            steps.take(next, () -> me.name() + " learns that its session is over, and registers under a new one");
        }
    }

    /**
     * A process dies; its session lives on until the server ends it. A request of its own has been taken before, or never
     * will be: one that the server takes after the death is that of a process which is slow, and dies then.
     */
    private static void kill(int index, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[index];
        me.up = false;
        steps.befall(next, () -> me.name() + " is killed; its session lives on for a while");
    }

    /** A process is to shut down: it claims nothing more, and its run is told to end. */
    private static void drain(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (!each.draining && now.alive[each.session]) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            me.draining = true;
            steps.befall(next, () -> me.name() + " is to shut down: it claims nothing more");
        }
    }

    /** Its time is over: the instance node goes, though its run may not have returned and its session lives. */
    private static void leave(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.draining && now.registered[each.session]) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            next.registered[me.session] = false;
            steps.take(next, () -> me.name() + " removes its instance node; its session is still open");
        }
    }

    /** It closes its session and ends. */
    private static void exit(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.draining && !now.registered[each.session]) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            end(next, me.session);
            me.up = false;
            steps.take(next, () -> me.name() + " closes its session and ends");
        }
    }

    /** A session id that nothing names: it stands for one that never was. */
    private static int free(ClaimWorld now, int index) {
        int first = 1 + index * now.size.sessions();
        for (int session = first; session < first + now.size.sessions(); session++) {
            boolean named = now.alive[session]
                    || now.running == session
                    || (now.item.unfinished() && now.item.owner == session);
            for (Instance each : now.instances) {
                // what its own instance has read and sent is forgotten with the session
                named |= each.claimedIn == session
                        || (each.index != index && (each.known.owner == session || each.readRunning == session));
            }
            if (!named) {
                return session;
            }
        }
        return ClaimWorld.NO_SESSION;
    }
}
