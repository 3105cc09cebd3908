package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;

/** What a leader has read since it began to look, and decides from. */
final class LeaderView {
    private static final Look[] LOOKS = Look.values();

    /** What a leader is about. */
    enum Look {
        NONE,
        /** It has read an open plan that is not for the configured item count. */
        OPEN,
        /** It has read a closed plan, and reads the rest. */
        CLOSED
    }

    /** What a leader has read of an item. */
    final class Sight {
        boolean recordRead;
        boolean runningRead;
        /** Whether the record is still as it was read. */
        boolean current;

        boolean exists;
        boolean unfinished;
        boolean retired;
        boolean cursor;
        int triggerCursor;
        int incarnation;

        void lay(Cells cells) {
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

        /** Whether a change that is under way has rewritten it. */
        boolean rewritten() {
            return exists && incarnation > plan.incarnation;
        }
    }

    private final int triggers;

    Look look = Look.NONE;
    /** The plan as it was read: what is written is this one, changed. */
    final ChangePlan plan = new ChangePlan();
    /** The configured item count, and whether failover is on, when it began to look. */
    int desired;

    boolean failover;
    final Sight[] sights = new Sight[ChangeWorld.ITEMS];
    /** The triggers that were listed, as bits, and how many of all have been looked at. */
    int listed;

    int looked;
    /** Whether something of the old count was seen that goes on. */
    boolean busy;

    LeaderView(int triggers) {
        this.triggers = triggers;
        for (int i = 0; i < ChangeWorld.ITEMS; i++) {
            sights[i] = new Sight();
        }
    }

    void lay(Cells cells) {
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
        set(new LeaderView(triggers));
    }

    boolean itemsRead() {
        boolean all = true;
        for (Sight sight : sights) {
            all &= sight.runningRead;
        }
        return all;
    }
}
