package io.ostraka.faults.model;

import io.ostraka.faults.model.ChangeWorld.Progress;
import io.ostraka.faults.model.ChangeWorld.Trigger;
import io.ostraka.faults.model.LeaderView.Look;
import io.ostraka.faults.model.LeaderView.Sight;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Steps of the leader. It reads one node after the other and decides from them, in the terms of the engine's
 * {@code Planning}. A batch consists of a single record, so that the model visits every partial rewrite.
 */
final class ChangeLeader {
    private final Set<Rule> without;
    private final ChangeWrites writes;

    ChangeLeader(Set<Rule> without) {
        this.without = without;
        writes = new ChangeWrites(without);
    }

    void steps(ChangeWorld now, Steps<ChangeWorld> steps) {
        takeEpoch(now, steps);
        if (now.held) {
            ChangeWorld next = steps.next();
            next.held = false;
            steps.take(next, () -> "the pause before the next change ends");
        }
        if (now.leader.look == Look.NONE) {
            lookAtPlan(now, steps);
        }
        go(now, now.leader, "the leader", steps);
        go(now, now.deposed, "the former leader", steps);
    }

    /**
     * Replaces the leader with a new one that has an empty view and a later epoch. The server refuses all further
     * writes of the former leader. This step also stands for a leader that crashes and starts again.
     */
    private void takeEpoch(ChangeWorld now, Steps<ChangeWorld> steps) {
        if (now.leader.look == Look.NONE) {
            return;
        }
        ChangeWorld next = steps.next();
        if (without.contains(Rule.EPOCH)) {
            next.deposed.set(now.leader);
        }
        next.leader.forget();
        steps.takeFault(next, () -> "another leader takes the epoch");
    }

    /** Begins a pass of the leader: reads the job definition, the override and the plan before everything else. */
    private static void lookAtPlan(ChangeWorld now, Steps<ChangeWorld> steps) {
        boolean counts = now.plan.total == now.desired() || now.held;
        if (!now.plan.closed && counts && now.plan.skips == now.skip) {
            return; // nothing to change
        }
        ChangeWorld next = steps.next();
        next.leader.look = now.plan.closed ? Look.CLOSED : Look.OPEN;
        next.leader.plan.set(now.plan);
        next.leader.plan.skips |= now.skip;
        next.leader.desired = !now.plan.closed && counts ? now.plan.total : now.desired();
        next.leader.failover = now.failover;
        steps.take(
                next,
                () -> "the leader reads the plan, " + (now.plan.closed ? "closed" : "open") + ", and item count "
                        + now.desired());
    }

    private void go(ChangeWorld now, LeaderView leader, String who, Steps<ChangeWorld> steps) {
        if (leader.look == Look.OPEN) {
            if (leader.desired == leader.plan.total) {
                write(now, leader, who, steps, writes::keep, "copies the skip of the scheduled fire into the plan");
            } else {
                write(now, leader, who, steps, writes::close, "closes the plan");
            }
        } else if (leader.look == Look.CLOSED) {
            for (int item = 0; item < ChangeWorld.ITEMS; item++) {
                readItem(leader, item, now, who, steps);
            }
            if (leader.itemsRead()) {
                readTriggers(now, leader, who, steps);
            }
            if (leader.looked == now.triggers.length + 1) {
                decide(now, leader, who, steps);
            }
        }
    }

    private static LeaderView of(ChangeWorld now, LeaderView leader, ChangeWorld next) {
        return leader == now.leader ? next.leader : next.deposed;
    }

    /**
     * Writes a batch. In the protocol, a batch checks the version of the plan. The model needs no such check here,
     * because every write of the plan clears the views of all leaders.
     */
    private static void write(
            ChangeWorld now,
            LeaderView leader,
            String who,
            Steps<ChangeWorld> steps,
            BiConsumer<ChangeWorld, LeaderView> change,
            String what) {
        ChangeWorld next = steps.next();
        change.accept(next, of(now, leader, next));
        ChangeItems.check(next);
        steps.take(next, () -> who + " " + what);
    }

    /** Reads an item's record, and after it the item's running node. The items are read in any order. */
    private static void readItem(LeaderView leader, int item, ChangeWorld now, String who, Steps<ChangeWorld> steps) {
        Sight seen = leader.sights[item];
        if (seen.runningRead) {
            return;
        }
        ChangeWorld next = steps.next();
        LeaderView own = of(now, leader, next);
        Sight sight = own.sights[item];
        if (!seen.recordRead) {
            sight.read(now.items[item]);
            own.busy |= sight.unfinished;
        } else {
            sight.runningRead = true;
            own.busy |= now.items[item].live;
        }
        steps.take(
                next,
                () -> who + " reads " + (seen.recordRead ? "the running node" : "the record") + " of item " + item);
    }

    /**
     * Reads the list of triggers. Then reads the progress of each trigger: whether its fire has begun, and whether it
     * has items left.
     */
    private static void readTriggers(ChangeWorld now, LeaderView leader, String who, Steps<ChangeWorld> steps) {
        int at = leader.looked;
        if (at > now.triggers.length) {
            return;
        }
        ChangeWorld next = steps.next();
        LeaderView own = of(now, leader, next);
        own.looked++;
        if (at == 0) {
            for (Trigger trigger : now.triggers) {
                own.listed |= trigger.exists() ? 1 << (trigger.number - 1) : 0;
            }
        } else {
            Trigger trigger = now.triggers[at - 1];
            boolean listed = (own.listed & 1 << (at - 1)) != 0;
            own.busy |= listed && trigger.progress == Progress.BEGUN && trigger.left != 0;
        }
        steps.take(next, () -> who + " reads " + (at == 0 ? "the list of triggers" : "the progress of trigger " + at));
    }

    /**
     * Decides the next write. The leader may finish the change in progress even if it has read a newer item count in
     * the configuration.
     */
    private void decide(ChangeWorld now, LeaderView leader, String who, Steps<ChangeWorld> steps) {
        if (leader.desired != leader.plan.target) {
            String what = "closes the plan for " + leader.desired + " items instead";
            write(now, leader, who, steps, writes::close, what);
        }
        if (leader.busy && !without.contains(Rule.DRAIN)) {
            waitOrReopen(now, leader, who, steps);
        } else {
            rewrite(now, leader, who, steps);
        }
    }

    /**
     * Waits for runs of the old item count. If the deadline has passed and no record has been rewritten yet, the leader
     * puts the old item count in force again.
     */
    private void waitOrReopen(ChangeWorld now, LeaderView leader, String who, Steps<ChangeWorld> steps) {
        write(now, leader, who, steps, (next, own) -> own.forget(), "waits for runs of the old item count");
        boolean rewritten = false;
        for (Sight sight : leader.sights) {
            rewritten |= sight.rewritten();
        }
        if (!rewritten || without.contains(Rule.REOPEN_BEFORE_REWRITE)) {
            ChangeWorld next = steps.next();
            writes.reopen(next, of(now, leader, next));
            steps.takeFault(next, () -> who + " reopens the old item count after the deadline");
        }
    }

    /**
     * Rewrites one record for the incarnation of the change, in any order. The transaction with the last record also
     * opens the plan.
     */
    private void rewrite(ChangeWorld now, LeaderView leader, String who, Steps<ChangeWorld> steps) {
        int count = 0;
        for (int item = 0; item < ChangeWorld.ITEMS; item++) {
            count += outdated(leader, item) ? 1 : 0;
        }
        if (count == 0) {
            write(now, leader, who, steps, writes::open, "opens the plan");
        }
        for (int item = 0; item < ChangeWorld.ITEMS; item++) {
            if (outdated(leader, item)) {
                rewrite(now, leader, item, count == 1, who, steps);
            }
        }
    }

    private static boolean outdated(LeaderView leader, int item) {
        Sight sight = leader.sights[item];
        return sight.exists ? sight.incarnation != leader.plan.changeIncarnation : item < leader.plan.target;
    }

    private void rewrite(
            ChangeWorld now, LeaderView leader, int item, boolean last, String who, Steps<ChangeWorld> steps) {
        if (!leader.sights[item].current && !without.contains(Rule.REWRITE_VERSION)) {
            write(
                    now,
                    leader,
                    who,
                    steps,
                    (next, own) -> own.forget(),
                    "is refused because record " + item + " has changed");
            return;
        }
        String what = "rewrites record " + item + (last ? " and opens the plan" : "");
        write(
                now,
                leader,
                who,
                steps,
                (next, own) -> {
                    writes.rewrite(next, own, next.items[item]);
                    if (last) {
                        writes.open(next, own);
                    } else {
                        own.forget();
                    }
                },
                what);
    }
}
