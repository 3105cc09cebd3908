package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;

/**
 * State of {@link ChangeModel}: configuration, plan, records with their runs, triggers with their progress, and the
 * views of the leaders. Instances have no identity: for each run, the model only stores whether it has a live session.
 * The model therefore covers any number of instances, and the number of faults needs no limit.
 */
final class ChangeWorld extends World {
    static final int ITEMS = 2;
    /** Number that is larger than every incarnation in the model. */
    static final int INCARNATIONS = 16;

    static final int TOTALS = ITEMS + 1;
    private static final ItemState[] STATES = ItemState.values();
    private static final Progress[] PROGRESSES = Progress.values();

    /** Progress of a trigger. */
    enum Progress {
        UNKNOWN,
        /** The trigger's node exists. */
        WAITING,
        /** The fire's node exists as well. */
        BEGUN,
        /** The trigger's node was deleted. */
        ENDED
    }

    /** The record of an item, with the run of its latest claim. */
    final class Item {
        final int index;
        boolean exists;
        ItemState state = ItemState.IDLE;
        /** True if the cursor has passed the scheduled fire. */
        boolean cursor;

        int triggerCursor;
        int incarnation;
        /** Unfinished fire: 0 for none, 1 for the scheduled fire, 1 + n for the fire of trigger n. */
        int fire;
        /** Item count of the unfinished fire. */
        int total;

        /** True if the item has a running node, whose session is alive, so that user code runs. */
        boolean live;
        /** Item count of the running code. */
        int liveTotal;
        /** True if this item has ended the scheduled fire under the present item count. */
        boolean shareEnded;

        Item(int index) {
            this.index = index;
        }

        void lay(PackedState cells) {
            exists = cells.flag(exists);
            state = cells.one(state, STATES);
            cursor = cells.flag(cursor);
            triggerCursor = cells.number(triggerCursor, triggers.length + 1);
            incarnation = cells.number(incarnation, INCARNATIONS);
            fire = cells.number(fire, triggers.length + 2);
            total = cells.number(total, TOTALS);
            live = cells.flag(live);
            liveTotal = cells.number(liveTotal, TOTALS);
            shareEnded = cells.flag(shareEnded);
        }

        boolean unfinished() {
            return state == ItemState.RUNNING || state == ItemState.HANDED_OVER;
        }

        /** Returns whether the item runs nothing and may claim a due fire. */
        boolean ready() {
            return exists && state == ItemState.IDLE && !live && incarnation == plan.incarnation;
        }
    }

    /** A trigger and the progress of its fire. Sets of items are stored as bits. */
    static final class Trigger {
        /** Sequence number, with which trigger cursors are compared. */
        final int number;

        Progress progress = Progress.UNKNOWN;
        int items;
        /** Item count for which the items were chosen; 0 for any. */
        int total;

        private final int totals;
        int left;
        /** Items for which the fire has ended. */
        int ended;

        Trigger(int number, boolean rerun) {
            this.number = number;
            this.totals = rerun ? TOTALS : 1;
        }

        void lay(PackedState cells) {
            progress = cells.one(progress, PROGRESSES);
            items = cells.number(items, 1 << ITEMS);
            total = cells.number(total, totals);
            left = cells.number(left, 1 << ITEMS);
            ended = cells.number(ended, 1 << ITEMS);
        }

        boolean exists() {
            return progress == Progress.WAITING || progress == Progress.BEGUN;
        }

        boolean concerns(int item) {
            return (items & 1 << item) != 0;
        }

        int fire() {
            return 1 + number;
        }
    }

    private final ChangeModel.Scenario scenario;

    /** Number of item count changes so far. */
    int changes;

    boolean failover;

    final ChangePlan plan;
    /** True if an operator has skipped the scheduled fire in the override. */
    boolean skip;
    /** True if a plan that contains this skip has been in force. */
    boolean skipped;

    /** Item count before the latest change; 0 if there was no change. */
    int formerTotal;
    /** True after the leader has given up a change, until it may try the change again. */
    boolean held;

    final Trigger[] triggers;
    final Item[] items = new Item[ITEMS];
    final LeaderView leader;
    /** View of a former leader, which does not know its successor. */
    final LeaderView deposed;

    /** Creates the first state. Its plan has the first item count, and no fire has run. */
    ChangeWorld(ChangeModel.Scenario scenario) {
        this.scenario = scenario;
        plan = new ChangePlan(scenario.skips());
        plan.total = scenario.totals().get(0);
        failover = scenario.failover() != ChangeModel.Failover.OFF;
        triggers = new Trigger[scenario.triggers()];
        for (int i = 0; i < triggers.length; i++) {
            triggers[i] = new Trigger(i + 1, scenario.reruns());
        }
        for (int i = 0; i < ITEMS; i++) {
            items[i] = new Item(i);
            items[i].exists = i < plan.total;
            items[i].incarnation = i < plan.total ? 1 : 0;
        }
        leader = new LeaderView(triggers.length, scenario.skips());
        deposed = new LeaderView(triggers.length, scenario.skips());
    }

    /** Returns the configured item count. */
    int desired() {
        return scenario.totals().get(changes);
    }

    boolean moreChanges() {
        return changes + 1 < scenario.totals().size();
    }

    /** Marks the leaders' views of the record as outdated. */
    void recordWritten(Item item) {
        leader.sights[item.index].current = false;
        deposed.sights[item.index].current = false;
    }

    /**
     * Clears the leaders' views after a write of the plan. The server refuses all writes that were decided from the old
     * plan.
     */
    void planWritten() {
        leader.forget();
        deposed.forget();
    }

    @Override
    void lay(PackedState cells) {
        changes = cells.number(changes, scenario.totals().size());
        failover = cells.flag(failover);
        plan.lay(cells);
        if (scenario.skips()) {
            skip = cells.flag(skip);
            skipped = cells.flag(skipped);
        }
        formerTotal = cells.number(formerTotal, TOTALS);
        held = cells.flag(held);
        for (Trigger trigger : triggers) {
            trigger.lay(cells);
        }
        for (Item item : items) {
            item.lay(cells);
        }
        leader.lay(cells);
        deposed.lay(cells);
    }

    @Override
    void normalise() {
        for (Item item : items) {
            if (!item.unfinished()) {
                item.fire = 0;
                item.total = 0;
            }
            if (!item.live) {
                item.liveTotal = 0;
            }
        }
    }
}
