package io.ostraka.faults.model;

import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.Model.Steps;

/** Starts, deaths and shutdowns of processes, and the ends of their sessions. */
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

    /** Starts a process that has read nothing yet; sessions of its predecessor may still be alive. */
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
     * Gives a process its next session after it learns that the last one ended. The open requests of the process never
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
     * Kills a process; its session lives until the server ends it. The server has applied the process's requests before
     * the kill, or it never applies them. The model needs no requests that the server applies after the kill, because
     * their effect is the same as if the process were slow and were killed later.
     */
    private static void kill(int index, Steps<ClaimWorld> steps) {
        ClaimWorld next = steps.next();
        Instance me = next.instances[index];
        me.up = false;
        steps.takeFault(next, () -> me.name() + " is killed; its session lives on for a while");
    }

    /** Starts the shutdown of a process: it claims no further fire, and its run is stopped. */
    private static void drain(ClaimWorld now, Instance each, Steps<ClaimWorld> steps) {
        if (!each.draining && now.alive[each.session]) {
            ClaimWorld next = steps.next();
            Instance me = next.instances[each.index];
            me.draining = true;
            steps.takeFault(next, () -> me.name() + " begins its shutdown and claims no further fire");
        }
    }

    /**
     * Deletes the instance node after the shutdown grace, although the run has possibly not returned, and although the
     * session lives.
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

    /** Returns an unused session id, which represents a new session. */
    private static int free(ClaimWorld now, int index) {
        int first = 1 + index * now.size.sessions();
        for (int session = first; session < first + now.size.sessions(); session++) {
            boolean named = now.alive[session]
                    || now.running == session
                    || (now.item.unfinished() && now.item.owner == session);
            for (Instance each : now.instances) {
                // the reads and requests of an instance do not count: it forgets them when it loses its session
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
