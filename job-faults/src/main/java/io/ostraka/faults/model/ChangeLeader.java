package io.ostraka.faults.model;

import io.ostraka.faults.model.ChangeWorld.Progress;
import io.ostraka.faults.model.ChangeWorld.Trigger;
import io.ostraka.faults.model.LeaderView.Look;
import io.ostraka.faults.model.LeaderView.Sight;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * What the leader reads, one node after the other, and what it makes of it; the words are those of the engine's {@code
 * Planning}. One record goes into each batch, so that every half-done rewrite comes about.
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
            steps.take(next, () -> "it is time to try the change again");
        }
        if (now.leader.look == Look.NONE) {
            lookAtPlan(now, steps);
        }
        go(now, now.leader, "the leader", steps);
        go(now, now.deposed, "the former leader", steps);
    }

    /**
     * Another leads from now on, remembers nothing, and has a later epoch: what the former one still writes is refused.
     * (Or the leader itself begins anew.)
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
        steps.befall(next, () -> "another leader takes the epoch");
    }

    /** Definition, override and plan are read first. */
    private static void lookAtPlan(ChangeWorld now, Steps<ChangeWorld> steps) {
        if (!now.plan.closed && (now.plan.total == now.desired() || now.held)) {
            return; // nothing is to be done
        }
        ChangeWorld next = steps.next();
        next.leader.look = now.plan.closed ? Look.CLOSED : Look.OPEN;
        next.leader.plan.set(now.plan);
        next.leader.desired = now.desired();
        next.leader.failover = now.failover;
        steps.take(
                next,
                () -> "the leader reads the plan, " + (now.plan.closed ? "closed" : "open") + ", and item count "
                        + now.desired());
    }

    private void go(ChangeWorld now, LeaderView leader, String who, Steps<ChangeWorld> steps) {
        if (leader.look == Look.OPEN) {
            write(now, leader, who, steps, writes::close, "closes the plan");
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

    /** A batch checks the plan's version as well: a plan written meanwhile has made the leader forget what it read. */
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

    /** The record first, its running node after it; items in any order. */
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

    /** The list of triggers is read, then the progress of each: whether one has begun and has items left. */
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

    /** A leader that sees another item count wanted may also finish the change that is under way. */
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

    /** Something of the old count goes on. After the deadline the old count opens again, unless a record has moved on. */
    private void waitOrReopen(ChangeWorld now, LeaderView leader, String who, Steps<ChangeWorld> steps) {
        write(now, leader, who, steps, (next, own) -> own.forget(), "sees that something still runs, and waits");
        boolean rewritten = false;
        for (Sight sight : leader.sights) {
            rewritten |= sight.rewritten();
        }
        if (!rewritten || without.contains(Rule.REOPEN_BEFORE_REWRITE)) {
            ChangeWorld next = steps.next();
            writes.reopen(next, of(now, leader, next));
            steps.befall(next, () -> who + " opens the old item count again: it took too long");
        }
    }

    /** Every record moves on to the change's incarnation, in any order; with the last one the plan opens. */
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
            write(now, leader, who, steps, (next, own) -> own.forget(), "is refused: record " + item + " has changed");
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
