package io.ostraka.faults.model;

import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.Model.Steps;

/** Steps in which processes start, die and shut down, and in which their sessions end. */
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

    /** Starts a process that has not read anything yet. Sessions of its predecessor may still be alive. */
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

    /** Ends a session and its nodes at the server. The client does not know this yet. */
    void expire(ClaimWorld now, Steps<ClaimWorld> steps) {
        for (int session = 1; session < now.alive.length; session++) {
            if (now.alive[session]) {
                ClaimWorld next = steps.next();
                Instance owner = next.instances[now.size.ownerOf(session)];
                end(next, session);
                if (owner.session == session) {
                    steps.takeFault(
                            next,
                            () -> owner.name() + "'s session expires at the server, which the client does not know");
                } else {
                    steps.take(next, () -> "an earlier session of " + owner.name() + " expires");
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

    /**
     * Gives a process its next session when it learns that the last one has ended. Open requests of the process never
     * get a reply.
     */
    private static void beginNextSession(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        int session = free(now, each.index);
        if (!now.alive[each.session] && session != ClaimWorld.NO_SESSION) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            register(next, me, session);
            me.forgetRequest();
            steps.take(next, () -> me.name() + " learns that its session ended, and registers under a new one");
        }
    }

    /**
     * Kills a process. Its session lives until the server ends it. Each request of the process was applied before the
     * kill, or is never applied. The model need not apply requests after the kill, because the effect would be the same
     * as if the process were slow and were killed later.
     */
    private static void kill(int index, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[index];
        me.up = false;
        steps.takeFault(next, () -> me.name() + " is killed; its session lives on for a while");
    }

    /** Starts the shutdown of a process. The process claims no further fires, and its run is stopped. */
    private static void drain(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (!each.draining && now.alive[each.session]) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            me.draining = true;
            steps.takeFault(next, () -> me.name() + " begins its shutdown and claims no further fire");
        }
    }

    /**
     * Deletes the instance node at the end of the shutdown grace, even if the run has not returned. The session stays
     * alive.
     */
    private static void leave(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.draining && now.registered[each.session]) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            next.registered[me.session] = false;
            steps.take(next, () -> me.name() + " deletes its instance node; its session is still open");
        }
    }

    /** Closes the session and ends the process. */
    private static void exit(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (each.draining && !now.registered[each.session]) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            end(next, me.session);
            me.up = false;
            steps.take(next, () -> me.name() + " closes its session and ends");
        }
    }

    /** Returns a session id that is not in use. It stands for a new session. */
    private static int free(ClaimWorld now, int index) {
        int first = 1 + index * now.size.sessions();
        for (int session = first; session < first + now.size.sessions(); session++) {
            boolean named = now.alive[session]
                    || now.running == session
                    || (now.item.unfinished() && now.item.owner == session);
            for (Instance each : now.instances) {
                // the instance's own reads and requests do not count, because it forgets them when it loses its session
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
