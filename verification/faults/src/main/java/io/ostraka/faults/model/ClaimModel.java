package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ClaimWorld.End;
import io.ostraka.faults.model.ClaimWorld.Instance;
import java.util.Locale;
import java.util.Set;

/**
 * Model of the fires of one item. It covers claim, run, completion, takeover and hand-over, with any number of faults
 * of instances, sessions, requests and replies.
 *
 * <p>The model contains neither the plan nor the clocks, because this part of the protocol does not rely on them: at
 * any time, every instance may believe that it owns the item and that any fire is due.
 */
final class ClaimModel implements Model<ClaimWorld> {
    /**
     * Size of the model.
     *
     * @param instances number of processes
     * @param sessions largest number of sessions of one process that can be in use at the same time. A session is in
     *     use if it is the present session of the process, or if the record or the running node contains it
     * @param fires number of scheduled fires of the item
     * @param maxAttempts number of crashes of one fire after which the item is quarantined
     * @param failover true if instances run interrupted fires again
     * @param stops true if an operator may stop a claimed fire. The code of the fire then ends only when its owner
     *     stops it
     */
    record Size(int instances, int sessions, int fires, int maxAttempts, boolean failover, boolean stops) {
        int allSessions() {
            return instances * sessions;
        }

        /**
         * Returns the number of different tokens that are needed: the largest number at one time, and one for the next
         * token.
         */
        int tokens() {
            return 5 + 2 * instances;
        }

        int ownerOf(int session) {
            return (session - 1) / sessions;
        }
    }

    private final Size size;
    private final Set<Rule> without;
    private final ClaimSessions sessions;
    private final ClaimReads reads;
    private final ClaimRequests requests;
    private final ClaimServer server;
    private final ClaimRuns runs;
    private final ClaimStops stops;

    ClaimModel(Size size, Set<Rule> without) {
        this.size = size;
        this.without = without;
        stops = new ClaimStops(without);
        runs = new ClaimRuns(without, stops);
        sessions = new ClaimSessions();
        reads = new ClaimReads(without, runs);
        requests = new ClaimRequests(without, runs, stops);
        server = new ClaimServer(without);
    }

    @Override
    public ClaimWorld first() {
        boolean outdatedCounts = without.contains(Rule.CLAIM_VERSION)
                || without.contains(Rule.COMPLETION_VERSION)
                || without.contains(Rule.OWN_NONCE)
                || without.contains(Rule.RUNNING_AFTER_RECORD)
                || without.contains(Rule.UNKNOWN_IS_NOT_SUCCESS)
                || without.contains(Rule.UNKNOWN_IS_NOT_FAILURE);
        return new ClaimWorld(size, outdatedCounts);
    }

    @Override
    public void steps(ClaimWorld now, Steps<ClaimWorld> steps) {
        for (Instance each : now.instances) {
            sessions.steps(now, each, steps);
            if (each.up) {
                reads.steps(now, each, steps);
                requests.steps(now, each, steps);
                server.steps(now, each, steps);
                runs.steps(now, each, steps);
                stops.learn(now, each, steps);
            }
        }
        sessions.expire(now, steps);
        stops.request(now, steps);
    }

    /** Returns true if all fires have ended, or if the item is quarantined and waits for an operator. */
    @Override
    public boolean finished(ClaimWorld world) {
        boolean open = false;
        for (int fire = 1; fire < world.ends.length; fire++) {
            open |= world.ends[fire] == End.OPEN;
        }
        return !open || world.item.state == ItemState.QUARANTINED;
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT,
                "claim: %d processes, %d sessions of each known at once, %d fires, quarantine after %d crashes, failover %s%s",
                size.instances,
                size.sessions,
                size.fires,
                size.maxAttempts,
                size.failover ? "on" : "off",
                size.stops ? ", fires may be stopped" : "");
    }
}
