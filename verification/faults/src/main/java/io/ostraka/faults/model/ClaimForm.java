package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ClaimWorld.Answer;
import io.ostraka.faults.model.ClaimWorld.Instance;
import io.ostraka.faults.model.ClaimWorld.Phase;
import io.ostraka.faults.model.ClaimWorld.Request;
import io.ostraka.faults.model.ClaimWorld.Stage;

/** Maps equivalent states of {@link ClaimModel} to the same form, so that the checker visits only one of them. */
final class ClaimForm {
    private final ClaimWorld world;
    private final boolean outdatedCounts;

    ClaimForm(ClaimWorld world, boolean outdatedCounts) {
        this.world = world;
        this.outdatedCounts = outdatedCounts;
    }

    void normalise() {
        if (!world.item.unfinished()) {
            world.item.forgetRun();
        }
        if (world.item.state != ItemState.RUNNING) {
            world.item.owner = ClaimWorld.NO_SESSION;
        }
        forgetStops();
        for (Instance each : world.instances) {
            forget(each);
            if (!outdatedCounts) {
                foresee(each);
            }
        }
        endUnnamedSessions();
        forgetTokens();
        rankTokens();
        for (Instance each : world.instances) {
            orderSessions(each);
        }
    }

    /** Clears the stops of decided fires, as the leader deletes these stops. */
    private void forgetStops() {
        for (int fire = 1; fire < world.stopped.length; fire++) {
            world.stopped[fire] &= world.ends[fire] == ClaimWorld.End.OPEN;
            for (Instance each : world.instances) {
                each.knowsStop[fire] &= each.up && world.stopped[fire];
            }
        }
    }

    /** Clears the fields that an instance will read or write again before it next uses them. */
    private static void forget(Instance each) {
        if (!each.up) {
            each.draining = false;
            each.session = ClaimWorld.NO_SESSION;
            each.phase = Phase.UNREAD;
            each.awaiting = false;
            each.forgetRun();
            each.forgetRequest();
        }
        if (each.phase == Phase.UNREAD || each.phase == Phase.FENCED) {
            each.forgetRecord();
        }
        if (each.phase != Phase.READING) {
            each.readMine = false;
            each.readRunning = ClaimWorld.NO_SESSION;
        }
        if (each.phase != Phase.READY) {
            each.interruption = ClaimWorld.Interruption.NONE;
        }
        if (each.request == Request.NONE) {
            each.forgetRequest();
            each.awaiting &= each.mine; // without a request under way, no claim can still succeed
        }
        if (!each.hasRun()) {
            each.forgetRun();
            each.mine &= each.awaiting || each.request != Request.NONE;
        }
    }

    /**
     * Refuses all requests that are based on outdated views at once. The server can only refuse such a request later,
     * and the instance then reads again.
     */
    private static void foresee(Instance each) {
        if (!each.current && (each.phase == Phase.READING || each.phase == Phase.READY)) {
            each.phase = Phase.UNREAD;
            each.forgetRecord();
        }
        if (!each.current || each.phase == Phase.CLAIMING || each.phase == Phase.COMPLETING) {
            each.known.clear();
            each.current = false;
        }
        boolean waited = each.phase == Phase.CLAIMING || each.phase == Phase.COMPLETING;
        if (each.request != Request.NONE && !each.writtenCurrent && each.answer == Answer.UNDER_WAY) {
            if (!waited) {
                each.forgetRequest();
            } else {
                each.answer = Answer.REFUSED;
            }
        }
        if (each.answer == Answer.REFUSED) {
            each.written.clear();
            each.writtenCurrent = false;
            each.request = Request.COMPLETE;
        }
        if (each.hasRun() && !each.mine) {
            // the claim is no longer in the record, so the end of this run has no effect
            each.fire = 0;
            if (!each.executing()) {
                each.stage = Stage.RETURNED;
                each.claimedIn = ClaimWorld.NO_SESSION;
            }
        }
    }

    /** Ends sessions that no instance uses and that no node contains. */
    private void endUnnamedSessions() {
        for (int session = 1; session < world.alive.length; session++) {
            Instance owner = world.instances[world.size.ownerOf(session)];
            if (world.alive[session]
                    && world.item.owner != session
                    && world.running != session
                    && owner.session != session) {
                world.alive[session] = false;
                world.registered[session] = false;
            }
        }
    }

    /**
     * Clears tokens that no longer matter. The model uses tokens only for executing runs and for claims under way: it
     * compares them, and checks whether the resource refuses them.
     */
    private void forgetTokens() {
        boolean awaited = false;
        for (Instance each : world.instances) {
            awaited |= each.awaiting && each.mine;
            if (!each.executing()) {
                each.token = 0;
            }
        }
        if (!awaited || world.item.state != ItemState.RUNNING) {
            world.itemToken = 0;
        }
        world.fence = refusesAny(world.fence) ? world.fence : 0;
        world.working = world.working > world.fence && refusesAny(world.working) ? world.working : 0;
    }

    private boolean refusesAny(int token) {
        boolean any = world.itemToken != 0 && world.itemToken < token;
        for (Instance each : world.instances) {
            any |= each.executing() && each.token < token;
            any |= each.writtenToken != 0 && each.writtenToken < token;
        }
        return any;
    }

    /** Replaces tokens with their ranks, because only the order of tokens matters. */
    private void rankTokens() {
        int used = 1 << world.itemToken | 1 << world.fence | 1 << world.working;
        for (Instance each : world.instances) {
            used |= 1 << each.token | 1 << each.writtenToken;
        }
        world.itemToken = rank(used, world.itemToken);
        world.fence = rank(used, world.fence);
        world.working = rank(used, world.working);
        for (Instance each : world.instances) {
            each.token = rank(used, each.token);
            each.writtenToken = rank(used, each.writtenToken);
        }
    }

    private static int rank(int used, int token) {
        int smaller = used & ((1 << token) - 1) & ~1;
        return token == 0 ? 0 : 1 + Integer.bitCount(smaller);
    }

    /**
     * Renumbers the sessions of an instance by their use: first the current session, then the sessions that nodes or
     * runs contain.
     */
    private void orderSessions(Instance each) {
        int sessions = world.size.sessions();
        int first = 1 + each.index * sessions;
        for (int place = first; place < first + sessions - 1; place++) {
            int best = place;
            for (int other = place + 1; other < first + sessions; other++) {
                if (weight(each, other) > weight(each, best)) {
                    best = other;
                }
            }
            if (best != place) {
                swap(place, best);
            }
        }
    }

    private int weight(Instance each, int session) {
        int weight = each.session == session ? 64 : 0;
        weight += world.item.owner == session ? 32 : 0;
        weight += world.running == session ? 16 : 0;
        weight += each.claimedIn == session ? 8 : 0;
        weight += world.alive[session] ? 4 : 0;
        weight += world.registered[session] ? 2 : 0;
        return weight;
    }

    private void swap(int a, int b) {
        boolean alive = world.alive[a];
        world.alive[a] = world.alive[b];
        world.alive[b] = alive;
        boolean registered = world.registered[a];
        world.registered[a] = world.registered[b];
        world.registered[b] = registered;
        world.item.owner = swapped(world.item.owner, a, b);
        world.running = swapped(world.running, a, b);
        for (Instance each : world.instances) {
            each.session = swapped(each.session, a, b);
            each.claimedIn = swapped(each.claimedIn, a, b);
            each.readRunning = swapped(each.readRunning, a, b);
            each.known.owner = swapped(each.known.owner, a, b);
            each.written.owner = swapped(each.written.owner, a, b);
        }
    }

    private static int swapped(int session, int a, int b) {
        return session == a ? b : session == b ? a : session;
    }
}
