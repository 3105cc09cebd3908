package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;

/** The data that a leader has read since the beginning of its pass, and from which it decides. */
final class LeaderView {
    private static final Look[] LOOKS = Look.values();

    /** Stage of a leader's pass. */
    enum Look {
        NONE,
        /** The leader has read an open plan that lacks the configured item count or the operator's skip. */
        OPEN,
        /** The leader has read a closed plan and reads the other nodes. */
        CLOSED
    }

    /** View of an item. */
    final class Sight {
        boolean recordRead;
        boolean runningRead;
        /** True if the record has not changed since the leader read it. */
        boolean current;

        boolean exists;
        boolean unfinished;
        boolean retired;
        boolean cursor;
        int triggerCursor;
        int incarnation;

        void lay(PackedState cells) {
            recordRead = cells.flag(recordRead);
            runningRead = cells.flag(runningRead);
            current = cells.flag(current);
            exists = cells.flag(exists);
            unfinished = cells.flag(unfinished);
            retired = cells.flag(retired);
            cursor = cells.flag(cursor);
            triggerCursor = cells.number(triggerCursor, triggers + 1);
            incarnation = cells.number(incarnation, ChangeWorld.INCARNATIONS);
        }

        void set(Sight from) {
            recordRead = from.recordRead;
            runningRead = from.runningRead;
            current = from.current;
            exists = from.exists;
            unfinished = from.unfinished;
            retired = from.retired;
            cursor = from.cursor;
            triggerCursor = from.triggerCursor;
            incarnation = from.incarnation;
        }

        void read(ChangeWorld.Item item) {
            recordRead = true;
            current = true;
            exists = item.exists;
            unfinished = item.exists && item.unfinished();
            retired = item.exists && item.state == ItemState.RETIRED;
            cursor = item.cursor;
            triggerCursor = item.triggerCursor;
            incarnation = item.incarnation;
        }

        /** Returns whether the change in progress has rewritten the record. */
        boolean rewritten() {
            return exists && incarnation > plan.incarnation;
        }
    }

    private final int triggers;
    private final boolean maySkip;

    Look look = Look.NONE;
    /** The plan as the leader has read it. The leader writes this plan with its changes. */
    final ChangePlan plan;
    /** Configured item count at the start of the pass. The leader reads {@code failover} at the same time. */
    int desired;

    boolean failover;
    final Sight[] sights = new Sight[ChangeWorld.ITEMS];
    /** Listed triggers, as bits. {@code looked} counts the reads of the list and of the triggers. */
    int listed;

    int looked;
    /** True if the leader saw an unfinished fire of the old item count. */
    boolean busy;

    LeaderView(int triggers, boolean maySkip) {
        this.triggers = triggers;
        this.maySkip = maySkip;
        plan = new ChangePlan(maySkip);
        for (int i = 0; i < ChangeWorld.ITEMS; i++) {
            sights[i] = new Sight();
        }
    }

    void lay(PackedState cells) {
        look = cells.one(look, LOOKS);
        plan.lay(cells);
        desired = cells.number(desired, ChangeWorld.TOTALS);
        failover = cells.flag(failover);
        for (Sight sight : sights) {
            sight.lay(cells);
        }
        listed = cells.number(listed, 1 << triggers);
        looked = cells.number(looked, triggers + 2);
        busy = cells.flag(busy);
    }

    void set(LeaderView from) {
        look = from.look;
        plan.set(from.plan);
        desired = from.desired;
        failover = from.failover;
        for (int i = 0; i < ChangeWorld.ITEMS; i++) {
            sights[i].set(from.sights[i]);
        }
        listed = from.listed;
        looked = from.looked;
        busy = from.busy;
    }

    void forget() {
        set(new LeaderView(triggers, maySkip));
    }

    boolean itemsRead() {
        boolean all = true;
        for (Sight sight : sights) {
            all &= sight.runningRead;
        }
        return all;
    }
}
