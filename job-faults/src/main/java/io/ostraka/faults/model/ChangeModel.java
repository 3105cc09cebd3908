package io.ostraka.faults.model;

import io.ostraka.faults.model.ChangeWorld.Item;
import io.ostraka.faults.model.ChangeWorld.Progress;
import io.ostraka.faults.model.ChangeWorld.Trigger;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A change of the item count beside a scheduled fire and manual triggers. What the life of one item's fires already
 * shows is one step here: a transaction is answered at once or its sender's session ends, for a lost reply is either
 * resolved by reading or followed by the end of the session. Between any two steps another may become leader.
 */
final class ChangeModel implements Model<ChangeWorld> {
    /** Whether interrupted fires are run again. */
    enum Failover {
        ON,
        OFF,
        /** An operator turns it on and off. */
        TOGGLED
    }

    /**
     * What happens.
     *
     * @param totals the item counts that are configured, one after the other
     * @param triggers how many manual triggers there are, each for all items or for one
     * @param failover whether interrupted fires are run again
     */
    record Scenario(List<Integer> totals, int triggers, Failover failover) {
        Scenario {
            totals = List.copyOf(totals);
        }
    }

    private final Scenario scenario;
    private final ChangeItems items;
    private final ChangeLeader leaders;

    ChangeModel(Scenario scenario, Set<Rule> without) {
        this.scenario = scenario;
        items = new ChangeItems(without);
        leaders = new ChangeLeader(without);
    }

    @Override
    public ChangeWorld first() {
        return new ChangeWorld(scenario);
    }

    @Override
    public void steps(ChangeWorld now, Steps<ChangeWorld> steps) {
        configure(now, steps);
        toggle(steps);
        trigger(now, steps);
        for (Item item : now.items) {
            if (item.exists) {
                items.steps(now, item, steps);
            }
        }
        leaders.steps(now, steps);
    }

    /** An operator, or a deployment, changes the item count at any time. */
    private static void configure(ChangeWorld now, Steps<ChangeWorld> steps) {
        if (now.moreChanges()) {
            ChangeWorld next = steps.next();
            next.changes++;
            steps.befall(next, () -> "the configured item count becomes " + next.desired());
        }
    }

    private void toggle(Steps<ChangeWorld> steps) {
        if (scenario.failover == Failover.TOGGLED) {
            ChangeWorld next = steps.next();
            next.failover = !next.failover;
            steps.befall(next, () -> "failover is turned " + (next.failover ? "on" : "off"));
        }
    }

    /** Somebody triggers the job by hand: all items, or one, whether or not it exists now. */
    private static void trigger(ChangeWorld now, Steps<ChangeWorld> steps) {
        for (Trigger each : now.triggers) {
            if (each.progress == Progress.UNKNOWN) {
                for (int of = 1; of < 1 << ChangeWorld.ITEMS; of++) {
                    int asked = of;
                    ChangeWorld next = steps.next();
                    Trigger trigger = next.triggers[each.number - 1];
                    trigger.progress = Progress.WAITING;
                    trigger.items = asked;
                    steps.befall(next, () -> "trigger " + each.number + " is created, for " + named(asked));
                }
                return; // in the order of their numbers
            }
        }
    }

    private static String named(int items) {
        return items == 1 ? "item 0" : items == 2 ? "item 1" : "all items";
    }

    /** The plan is open under the configured item count, and nothing is left to be run. */
    @Override
    public boolean finished(ChangeWorld world) {
        boolean done = !world.plan.closed && world.plan.total == world.desired();
        for (Trigger trigger : world.triggers) {
            done &= !trigger.exists();
        }
        for (Item item : world.items) {
            done &= item.index >= world.plan.total || (item.ready() && item.cursor);
        }
        return done;
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT,
                "change: item count %s, %d triggers, failover %s",
                scenario.totals.stream().map(String::valueOf).collect(Collectors.joining(" to ")),
                scenario.triggers,
                scenario.failover.name().toLowerCase(Locale.ROOT));
    }
}
