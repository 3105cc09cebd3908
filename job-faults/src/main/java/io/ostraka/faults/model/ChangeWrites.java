package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ChangeWorld.Item;
import io.ostraka.faults.model.LeaderView.Sight;
import java.util.Set;

/** What a leader writes: the plan that it has read, changed; and records. */
final class ChangeWrites {
    private final Set<Rule> without;

    ChangeWrites(Set<Rule> without) {
        this.without = without;
    }

    /** The plan closes, or changes its target. An incarnation that was never used goes with every target. */
    void close(ChangeWorld next, LeaderView leader) {
        ChangePlan plan = leader.plan;
        boolean anew = plan.closed && without.contains(Rule.NEW_INCARNATION);
        plan.changeIncarnation = anew ? plan.changeIncarnation : Math.max(plan.incarnation, plan.changeIncarnation) + 1;
        plan.closed = true;
        plan.target = leader.desired;
        write(next, leader);
    }

    /** The old count is in force again. */
    void reopen(ChangeWorld next, LeaderView leader) {
        leader.plan.closed = false;
        leader.plan.target = 0;
        leader.plan.changeIncarnation = 0;
        next.held = true;
        write(next, leader);
    }

    /** A record moves on to the change's incarnation, by the version that was read. */
    void rewrite(ChangeWorld next, LeaderView leader, Item record) {
        boolean cursor = cursor(next, leader);
        if (record.live) {
            next.violate("I1: the record of item " + record.index + " moves on while it runs");
        }
        if (record.index < next.plan.total && cursor && !record.cursor) {
            record.shareEnded = true; // the record says that it was left out, and why
        }
        record.exists = true;
        record.state = record.index < leader.plan.target ? ItemState.IDLE : ItemState.RETIRED;
        record.cursor = cursor;
        record.triggerCursor = triggerCursor(leader);
        record.incarnation = leader.plan.changeIncarnation;
        next.recordWritten(record);
    }

    /**
     * The smallest of the old ones, so that no item's undecided fire is lost; with failover off the largest, so that none
     * begins again. What the first batch has decided holds for all, whatever has been configured since.
     */
    private boolean cursor(ChangeWorld next, LeaderView leader) {
        boolean all = true;
        boolean any = false;
        for (Sight sight : leader.sights) {
            if (sight.exists
                    && sight.incarnation == leader.plan.changeIncarnation
                    && !without.contains(Rule.FIRST_BATCH_DECIDES)) {
                return sight.cursor;
            }
            if (counts(sight)) {
                all &= sight.cursor;
                any |= sight.cursor;
            }
        }
        boolean smallest = leader.failover && !without.contains(Rule.SMALLEST_CURSOR);
        if (leader.failover && !smallest && any && !all) {
            next.violate("I3: the scheduled fire is left out by the change, for items that have not run it");
        }
        return smallest ? all : any;
    }

    private int triggerCursor(LeaderView leader) {
        int smallest = Integer.MAX_VALUE;
        int largest = 0;
        for (Sight sight : leader.sights) {
            if (counts(sight)) {
                smallest = Math.min(smallest, sight.triggerCursor);
                largest = Math.max(largest, sight.triggerCursor);
            }
        }
        return without.contains(Rule.SMALLEST_TRIGGER_CURSOR) ? largest : smallest;
    }

    /** Whether its cursors count: it is of the present items, or this change has rewritten it already. */
    private boolean counts(Sight sight) {
        boolean retiredCounts =
                sight.rewritten() ? !without.contains(Rule.RETIRED_COUNTS) : without.contains(Rule.RETIRED_BEFORE);
        return sight.exists && (!sight.retired || retiredCounts);
    }

    /** The new count is in force. */
    void open(ChangeWorld next, LeaderView leader) {
        ChangePlan plan = leader.plan;
        boolean again = next.plan.incarnation == plan.changeIncarnation; // another has opened it, and nothing changes
        if (!again) {
            checkShares(next, plan.target);
        }
        next.formerTotal = next.plan.total;
        plan.closed = false;
        plan.total = plan.target;
        plan.incarnation = plan.changeIncarnation;
        plan.target = 0;
        plan.changeIncarnation = 0;
        write(next, leader);
        for (Item item : next.items) {
            item.shareEnded = item.cursor && item.index < next.plan.total;
        }
    }

    /** What no old item has done of the scheduled fire, all new ones must do. */
    private static void checkShares(ChangeWorld next, int target) {
        boolean undone = false;
        for (int item = 0; item < next.plan.total; item++) {
            undone |= !next.items[item].shareEnded;
        }
        for (int item = 0; item < target; item++) {
            if (undone && next.items[item].cursor) {
                next.violate("I4: the scheduled fire has ended for item " + item
                        + " of the new count, and not for all of the old");
            }
            if (!undone && !next.items[item].cursor) {
                next.violate("I2: the scheduled fire has ended for all items, and is due again under the new count");
            }
        }
    }

    /** By the version that was read. What another has decided from that version is refused, so it may forget it at once. */
    private void write(ChangeWorld next, LeaderView leader) {
        next.plan.set(leader.plan);
        leader.forget();
        if (!without.contains(Rule.PLAN_VERSION)) {
            next.planWritten();
        }
    }
}
