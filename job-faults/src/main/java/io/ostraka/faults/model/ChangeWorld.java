package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;

/**
 * All that a change of the item count is made of: configuration, plan, records with their runs, triggers with their
 * progress, and what leaders have read. Instances have no names: a run has a live session or none, and whoever takes it
 * over is anybody. So there are as many instances as it takes, and faults need no budget.
 */
final class ChangeWorld extends World {
    static final int ITEMS = 2;
    /** More than ever come about. */
    static final int INCARNATIONS = 16;

    static final int TOTALS = ITEMS + 1;
    private static final ItemState[] STATES = ItemState.values();
    private static final Progress[] PROGRESSES = Progress.values();

    /** How far a trigger is. */
    enum Progress {
        UNKNOWN,
        /** Its node is there. */
        WAITING,
        /** The fire's node is there, too. */
        BEGUN,
        /** The trigger's node is gone. */
        ENDED
    }

    /** A record, with the run of its latest claim. */
    final class Item {
        final int index;
        boolean exists;
        ItemState state = ItemState.IDLE;
        /** Whether the scheduled fire lies behind the cursor. */
        boolean cursor;

        int triggerCursor;
        int incarnation;
        /** The unfinished fire: 0 is none, 1 the scheduled one, 1 + n the n-th trigger's. */
        int fire;
        /** The item count that the fire is split into. */
        int total;

        /** Whether there is a running node, whose session lives: code runs. */
        boolean live;
        /** The item count that this code runs for. */
        int liveTotal;
        /** Whether what the scheduled fire is for this item, under this item count, has come to its end. */
        boolean shareEnded;

        Item(int index) {
            this.index = index;
        }

        void lay(Cells cells) {
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

        /** Whether nothing of it runs, and what is due may be claimed. */
        boolean ready() {
            return exists && state == ItemState.IDLE && !live && incarnation == plan.incarnation;
        }
    }

    /** A trigger, and the progress of its fire. Items are bits. */
    static final class Trigger {
        /** Its place in the order of all: what a trigger cursor is compared with. */
        final int number;

        Progress progress = Progress.UNKNOWN;
        int items;
        int left;
        /** Items whose part has ended. */
        int ended;

        Trigger(int number) {
            this.number = number;
        }

        void lay(Cells cells) {
            progress = cells.one(progress, PROGRESSES);
            items = cells.number(items, 1 << ITEMS);
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

    /** How far the operator's changes of the item count are. */
    int changes;

    boolean failover;

    final ChangePlan plan = new ChangePlan();
    /** The item count before the last change; 0 before the first. */
    int formerTotal;
    /** Whether the change had to be given up, and it is too early to try again. */
    boolean held;

    final Trigger[] triggers;
    final Item[] items = new Item[ITEMS];
    final LeaderView leader;
    /** One that another has followed, and that does not know. */
    final LeaderView deposed;

    /** The first state: a plan for the first item count, nothing has run. */
    ChangeWorld(ChangeModel.Scenario scenario) {
        this.scenario = scenario;
        plan.total = scenario.totals().get(0);
        failover = scenario.failover() != ChangeModel.Failover.OFF;
        triggers = new Trigger[scenario.triggers()];
        for (int i = 0; i < triggers.length; i++) {
            triggers[i] = new Trigger(i + 1);
        }
        for (int i = 0; i < ITEMS; i++) {
            items[i] = new Item(i);
            items[i].exists = i < plan.total;
            items[i].incarnation = i < plan.total ? 1 : 0;
        }
        leader = new LeaderView(triggers.length);
        deposed = new LeaderView(triggers.length);
    }

    /** The item count that is configured. */
    int desired() {
        return scenario.totals().get(changes);
    }

    boolean moreChanges() {
        return changes + 1 < scenario.totals().size();
    }

    /** A record was written: what a leader knows of it is outdated. */
    void recordWritten(Item item) {
        leader.sights[item.index].current = false;
        deposed.sights[item.index].current = false;
    }

    /** The plan was written: what leaders decide from the old one is refused. */
    void planWritten() {
        leader.forget();
        deposed.forget();
    }

    @Override
    void lay(Cells cells) {
        changes = cells.number(changes, scenario.totals().size());
        failover = cells.flag(failover);
        plan.lay(cells);
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
