package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;
import io.ostraka.faults.model.ChangeWorld.Item;
import io.ostraka.faults.model.LeaderView.Sight;
import java.util.Set;

/** Writes of a leader. It writes records, and changed versions of the plan that it has read. */
final class ChangeWrites {
    private final Set<Rule> without;

    ChangeWrites(Set<Rule> without) {
        this.without = without;
    }

    /**
     * Closes the plan, or changes the target of a closed plan. Every target gets an incarnation that was never used
     * before.
     */
    void close(ChangeWorld next, LeaderView leader) {
        ChangePlan plan = leader.plan;
        boolean anew = plan.closed && without.contains(Rule.NEW_INCARNATION);
        plan.changeIncarnation = anew ? plan.changeIncarnation : Math.max(plan.incarnation, plan.changeIncarnation) + 1;
        plan.closed = true;
        plan.target = leader.desired;
        write(next, leader);
    }

    /** Writes the plan with the operator's skip, without changing the item count. */
    void keep(ChangeWorld next, LeaderView leader) {
        write(next, leader);
    }

    /** Puts the old item count in force again. */
    void reopen(ChangeWorld next, LeaderView leader) {
        leader.plan.closed = false;
        leader.plan.target = 0;
        leader.plan.changeIncarnation = 0;
        next.held = true;
        write(next, leader);
    }

    /** Rewrites a record for the change's incarnation, unless the record has changed since the leader read it. */
    void rewrite(ChangeWorld next, LeaderView leader, Item record) {
        boolean cursor = cursor(next, leader);
        if (record.live) {
            next.violate("I1: the record of item " + record.index + " is rewritten while the item runs");
        }
        if (record.index < next.plan.total && cursor && !record.cursor) {
            record.shareEnded = true; // the record has counted the fire as skipped, with the reason
        }
        record.exists = true;
        record.state = record.index < leader.plan.target ? ItemState.IDLE : ItemState.RETIRED;
        record.cursor = cursor;
        record.triggerCursor = triggerCursor(leader);
        record.incarnation = leader.plan.changeIncarnation;
        next.recordWritten(record);
    }

    /**
     * Returns the smallest cursor of the old records, so that no undecided fire is lost. With failover off, returns the
     * largest cursor, so that no fire starts again. The first batch stores the cursor for all later batches, even if
     * the configuration changes meanwhile.
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
            next.violate("I3: the change skips the scheduled fire for items that have not run it");
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

    /**
     * Returns whether the change must consider the cursors of the record. This is the case if the record belongs to a
     * present item, or if this change has rewritten it.
     */
    private boolean counts(Sight sight) {
        boolean retiredCounts =
                sight.rewritten() ? !without.contains(Rule.RETIRED_COUNTS) : without.contains(Rule.RETIRED_BEFORE);
        return sight.exists && (!sight.retired || retiredCounts);
    }

    /** Puts the new item count in force. */
    void open(ChangeWorld next, LeaderView leader) {
        ChangePlan plan = leader.plan;
        boolean again = next.plan.incarnation == plan.changeIncarnation; // another leader has already opened the plan
        if (!again) {
            checkShares(next, plan.target);
        }
        next.formerTotal = next.plan.total;
        plan.closed = false;
        plan.skips &= !without.contains(Rule.SKIP_KEPT);
        plan.total = plan.target;
        plan.incarnation = plan.changeIncarnation;
        plan.target = 0;
        plan.changeIncarnation = 0;
        write(next, leader);
        for (Item item : next.items) {
            item.shareEnded = item.cursor && item.index < next.plan.total;
        }
    }

    /** Checks that the new items must still run the scheduled fire if and only if some old item has not ended it. */
    private static void checkShares(ChangeWorld next, int target) {
        boolean undone = false;
        for (int item = 0; item < next.plan.total; item++) {
            undone |= !next.items[item].shareEnded;
        }
        for (int item = 0; item < target; item++) {
            if (undone && next.items[item].cursor) {
                next.violate("I4: the scheduled fire has ended for item " + item
                        + " of the new item count, but not for all items of the old");
            }
            if (!undone && !next.items[item].cursor) {
                next.violate(
                        "I2: the scheduled fire has ended for all items but is due again under the new item count");
            }
        }
    }

    /**
     * Writes the plan, if it still has the version that was read. The server then refuses all other writes that were
     * decided from this version. In the model, all leaders therefore forget their views at once.
     */
    private void write(ChangeWorld next, LeaderView leader) {
        next.plan.set(leader.plan);
        next.skipped |= next.plan.skips;
        leader.forget();
        if (!without.contains(Rule.PLAN_VERSION)) {
            next.planWritten();
        }
    }
}
