package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ChangeWorld.Item;
import io.ostraka.faults.model.ChangeWorld.Progress;
import io.ostraka.faults.model.ChangeWorld.Trigger;
import io.ostraka.faults.model.Model.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Steps of instances on items while the item count changes. Each step is a transaction, which checks that the plan, the
 * record and the trigger's progress still have the versions that led to the decision. An instance's knowledge of other
 * triggers may be outdated.
 */
final class ChangeItems {
    private static final int SCHEDULED = 1;

    private final Set<Rule> without;
    /**
     * True if a claim that was decided under one plan can succeed although the plan has been replaced and the record
     * rewritten.
     */
    private final boolean planOfOldDecides;

    ChangeItems(Set<Rule> without) {
        this.without = without;
        planOfOldDecides = without.contains(Rule.TRIGGER_PLAN_CHECK) && without.contains(Rule.INCARNATION);
    }

    void steps(ChangeWorld now, Item item, Steps<ChangeWorld> steps) {
        if (mayBegin(now, item)) {
            runScheduled(now, item, steps);
            for (Trigger trigger : triggersOf(now, item)) {
                decideTrigger(item, trigger, now.plan.total, steps);
                if (planOfOldDecides && now.formerTotal > item.index) {
                    decideTrigger(item, trigger, now.formerTotal, steps);
                }
            }
        }
        if (item.unfinished()) {
            takeOver(now, item, steps);
        }
        if (item.state == ItemState.RUNNING) {
            complete(item, steps);
            giveUp(now, item, steps);
        }
        if (item.live) {
            endSession(item, steps);
        }
    }

    /** Returns whether the item is idle and its record belongs to the plan in force. */
    private boolean mayBegin(ChangeWorld now, Item item) {
        return item.index < now.plan.total && item.state == ItemState.IDLE && !item.live && ofPlan(now, item);
    }

    private boolean ofPlan(ChangeWorld now, Item item) {
        return item.incarnation == now.plan.incarnation || without.contains(Rule.INCARNATION);
    }

    /**
     * Claims the scheduled fire, which may be due on some instance's clock at any time. A claim checks that its plan is
     * open, so no claim succeeds under a closed plan.
     */
    private void runScheduled(ChangeWorld now, Item item, Steps<ChangeWorld> steps) {
        boolean unchecked = without.contains(Rule.SCHEDULED_PLAN_CHECK);
        if (!item.cursor && now.plan.skips && !now.plan.closed) {
            skip(item, steps);
        }
        if (!item.cursor && ((!now.plan.closed && !now.plan.skips) || unchecked)) {
            ChangeWorld next = steps.next();
            Item own = next.items[item.index];
            if (own.shareEnded) {
                next.violate("I2: the scheduled fire starts again for item " + item.index + " after its end");
            }
            if (next.skipped) {
                next.violate("the scheduled fire starts for item " + item.index + " although an operator skipped it");
            }
            claim(next, own, SCHEDULED, next.plan.total);
            steps.take(next, () -> "the scheduled fire is claimed for item " + item.index);
        }
    }

    /**
     * Records that the item has skipped the scheduled fire. The protocol records this only in the item's next claim.
     */
    private static void skip(Item item, Steps<ChangeWorld> steps) {
        ChangeWorld next = steps.next();
        Item own = next.items[item.index];
        own.cursor = true;
        own.shareEnded = true;
        next.recordWritten(own);
        check(next);
        steps.take(next, () -> "item " + item.index + " skips the scheduled fire");
    }

    /** Writes the record and creates the running node in one transaction. */
    private static void claim(ChangeWorld next, Item item, int fire, int total) {
        for (Item other : next.items) {
            if (other.live && (other == item || other.liveTotal != total)) {
                next.violate("I1: item " + item.index + " of " + total + " starts while item " + other.index + " of "
                        + other.liveTotal + " runs");
            }
        }
        int chosen = fire == SCHEDULED ? 0 : next.triggers[fire - 2].total;
        if (chosen != 0 && chosen != total) {
            next.violate("a trigger for items of " + chosen + " runs item " + item.index + " of " + total);
        }
        item.state = ItemState.RUNNING;
        item.fire = fire;
        item.total = total;
        item.live = true;
        item.liveTotal = total;
        next.recordWritten(item);
    }

    /**
     * Returns the triggers that the item may decide next. Under the full protocol there is only one: the oldest trigger
     * that waits for the item.
     */
    private List<Trigger> triggersOf(ChangeWorld now, Item item) {
        List<Trigger> waiting = new ArrayList<>();
        boolean begun = false;
        for (Trigger each : now.triggers) {
            boolean due = each.number > item.triggerCursor && (each.concerns(item.index) || nobodys(now, each));
            if (due && (each.exists() || (each.progress == Progress.ENDED && without.contains(Rule.TRIGGER_CHECK)))) {
                waiting.add(each);
            }
            // the oldest trigger may have ended without the instance knowing it; the instance then tries this trigger
            // first
            begun |=
                    due && !waiting.isEmpty() && each.progress != Progress.WAITING && each.progress != Progress.UNKNOWN;
        }
        if (waiting.isEmpty() || !now.plan.closed || without.contains(Rule.TRIGGER_PLAN_CHECK)) {
            return waiting.subList(0, Math.min(1, waiting.size()));
        }
        if (without.contains(Rule.BEGUN_GOES_ON)) {
            return List.of();
        }
        if (without.contains(Rule.OLDER_FIRST)) {
            waiting.removeIf(each -> each.progress != Progress.BEGUN);
            return waiting;
        }
        Trigger oldest = waiting.get(0);
        boolean may = without.contains(Rule.OLDER_MAY_BEGIN) ? oldest.progress == Progress.BEGUN : begun;
        return may ? List.of(oldest) : List.of();
    }

    /** Returns whether all items that the trigger requests are unknown to the job. */
    private boolean nobodys(ChangeWorld now, Trigger trigger) {
        return (trigger.items & allOf(now.plan.total)) == 0 && !without.contains(Rule.NOBODYS_TRIGGER);
    }

    private static int allOf(int total) {
        return (1 << total) - 1;
    }

    /**
     * Decides a trigger for the item. The first decision creates the fire's node with the items of the plan. An item
     * that is not in this node only advances its trigger cursor. If the trigger was created for a different item count,
     * each item skips it.
     */
    private void decideTrigger(Item item, Trigger trigger, int total, Steps<ChangeWorld> steps) {
        ChangeWorld next = steps.next();
        Item own = next.items[item.index];
        Trigger decided = next.triggers[trigger.number - 1];
        int part = 1 << item.index;
        boolean begins = trigger.progress == Progress.WAITING;
        if (begins) {
            decided.progress = Progress.BEGUN;
            decided.left = decided.items & allOf(total);
        }
        boolean otherWork = trigger.total != 0 && trigger.total != total && !without.contains(Rule.TRIGGER_TOTAL);
        if ((decided.left & part) != 0 && otherWork) {
            decided.left &= ~part;
            decided.ended |= part;
            own.triggerCursor = trigger.number;
            next.recordWritten(own);
            endIfDone(decided);
            check(next);
            steps.take(
                    next,
                    () -> "trigger " + trigger.number + " is skipped for item " + item.index + " of " + total
                            + ", because its items are those of " + trigger.total);
            return;
        }
        if ((decided.left & part) != 0 || trigger.progress == Progress.ENDED) {
            if (trigger.progress == Progress.ENDED || (trigger.ended & part) != 0) {
                next.violate(
                        "I2: trigger " + trigger.number + " starts again for item " + item.index + " after its end");
            }
            claim(next, own, trigger.fire(), total);
            check(next);
            steps.take(
                    next,
                    () -> "trigger " + trigger.number + " is claimed for item " + item.index + " of " + total
                            + (begins ? ", which starts its fire" : ""));
            return;
        }
        own.triggerCursor = trigger.number;
        next.recordWritten(own);
        endIfDone(decided);
        check(next);
        steps.take(
                next, () -> "trigger " + trigger.number + " does not concern item " + item.index + ", which skips it");
    }

    private static void endIfDone(Trigger trigger) {
        if (trigger.left == 0) {
            trigger.progress = Progress.ENDED;
        }
    }

    /**
     * Takes over a fire whose owner has lost its session or has handed the fire over. The fire keeps its own item
     * count.
     */
    private void takeOver(ChangeWorld now, Item item, Steps<ChangeWorld> steps) {
        if (item.live || item.index >= now.plan.total || !ofPlan(now, item)) {
            return;
        }
        ChangeWorld next = steps.next();
        Item own = next.items[item.index];
        if (now.failover) {
            int total = without.contains(Rule.OWN_TOTAL) ? planned(now) : own.total;
            claim(next, own, own.fire, total);
            steps.take(next, () -> named(item) + " is taken over under item count " + total);
        } else {
            end(next, own);
            steps.take(next, () -> named(item) + " is recorded as interrupted");
        }
    }

    /** Returns the item count of the plan; during a change, the new item count. */
    private static int planned(ChangeWorld now) {
        return now.plan.closed ? now.plan.target : now.plan.total;
    }

    /**
     * Completes the run, in the session of the claim or in the instance's next session. In the protocol the write
     * checks the record's version, so it fails if another instance has taken over the fire.
     */
    private static void complete(Item item, Steps<ChangeWorld> steps) {
        ChangeWorld next = steps.next();
        end(next, next.items[item.index]);
        steps.take(next, () -> named(item) + " is completed" + (item.live ? "" : " under a new session"));
    }

    /** Ends a claim without a completed run, because the instance shuts down or decides not to run the claimed fire. */
    private static void giveUp(ChangeWorld now, Item item, Steps<ChangeWorld> steps) {
        ChangeWorld next = steps.next();
        Item own = next.items[item.index];
        if (now.failover) {
            own.state = ItemState.HANDED_OVER;
            own.live = false;
            next.recordWritten(own);
            steps.takeFault(next, () -> named(item) + " is handed over");
        } else {
            end(next, own);
            steps.takeFault(next, () -> named(item) + " is given up and recorded as interrupted");
        }
    }

    /** Ends the session and deletes the running node. The user code may continue for a while, but it is fenced. */
    private static void endSession(Item item, Steps<ChangeWorld> steps) {
        ChangeWorld next = steps.next();
        next.items[item.index].live = false;
        steps.takeFault(next, () -> "the session that runs item " + item.index + " ends");
    }

    /**
     * Records the fire's end for this item, in its record and in the fire's node. If no item is left in the node
     * afterwards, the same write deletes the trigger.
     */
    private static void end(ChangeWorld next, Item item) {
        if (item.fire == SCHEDULED) {
            if (item.shareEnded) {
                next.violate("I2: the scheduled fire is completed for item " + item.index + " a second time");
            }
            item.cursor = true;
            item.shareEnded = true;
        } else {
            Trigger trigger = next.triggers[item.fire - 2];
            if ((trigger.ended & 1 << item.index) != 0) {
                next.violate(
                        "I2: trigger " + trigger.number + " is completed for item " + item.index + " a second time");
            }
            item.triggerCursor = Math.max(item.triggerCursor, trigger.number);
            trigger.left &= ~(1 << item.index);
            trigger.ended |= 1 << item.index;
            endIfDone(trigger);
        }
        item.state = ItemState.IDLE;
        item.live = false;
        next.recordWritten(item);
        check(next);
    }

    /** Checks that no item has a trigger cursor beyond a trigger that still waits for it. */
    static void check(ChangeWorld next) {
        for (Trigger trigger : next.triggers) {
            int awaited = trigger.progress == Progress.BEGUN
                    ? trigger.left
                    : trigger.progress == Progress.WAITING && !next.plan.closed
                            ? trigger.items & allOf(next.plan.total)
                            : 0;
            for (Item item : next.items) {
                boolean passed =
                        item.triggerCursor >= trigger.number && !(item.unfinished() && item.fire == trigger.fire());
                if ((awaited & 1 << item.index) != 0 && passed) {
                    next.violate("I4: item " + item.index + " has passed trigger " + trigger.number
                            + ", which still waits for it");
                }
            }
        }
    }

    private static String named(Item item) {
        String what = item.fire == SCHEDULED ? "the scheduled fire" : "trigger " + (item.fire - 1);
        return what + " of item " + item.index;
    }
}
