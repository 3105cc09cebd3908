package io.ostraka.faults.model;

import io.ostraka.faults.model.ChangeWorld.Item;
import io.ostraka.faults.model.ChangeWorld.Progress;
import io.ostraka.faults.model.ChangeWorld.Trigger;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Model of a change of the item count, together with a scheduled fire and with manual triggers. An operator may skip
 * the scheduled fire. A trigger may repeat an earlier fire; it then requires the item count of that fire. Claims and
 * completions are single steps: either the client learns the result at once, or its session ends. {@link ClaimModel}
 * models their details. The leader may change between any two steps.
 */
final class ChangeModel implements Model<ChangeWorld> {
    /** Failover setting of the job: whether another instance runs interrupted fires again. */
    enum Failover {
        ON,
        OFF,
        /** An operator may switch failover on and off. */
        TOGGLED
    }

    /**
     * Size of the model.
     *
     * @param totals configured item counts, in order
     * @param triggers number of manual triggers; each requests all items or one
     * @param failover setting that controls whether another instance runs interrupted fires again
     * @param reruns true if each trigger repeats an earlier fire and therefore requires that fire's item count
     * @param skips true if an operator may skip the scheduled fire
     */
    record Scenario(List<Integer> totals, int triggers, Failover failover, boolean reruns, boolean skips) {
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
        skip(now, steps);
        trigger(now, steps);
        for (Item item : now.items) {
            if (item.exists) {
                items.steps(now, item, steps);
            }
        }
        leaders.steps(now, steps);
    }

    /** Changes the configured item count, as an operator or a deployment may do at any time. */
    private static void configure(ChangeWorld now, Steps<ChangeWorld> steps) {
        if (now.moreChanges()) {
            ChangeWorld next = steps.next();
            next.changes++;
            steps.takeFault(next, () -> "the configured item count becomes " + next.desired());
        }
    }

    private void toggle(Steps<ChangeWorld> steps) {
        if (scenario.failover == Failover.TOGGLED) {
            ChangeWorld next = steps.next();
            next.failover = !next.failover;
            steps.takeFault(next, () -> "failover is turned " + (next.failover ? "on" : "off"));
        }
    }

    /** Lets an operator skip the scheduled fire, by a change of the override. */
    private void skip(ChangeWorld now, Steps<ChangeWorld> steps) {
        if (scenario.skips && !now.skip) {
            ChangeWorld next = steps.next();
            next.skip = true;
            steps.takeFault(next, () -> "an operator skips the scheduled fire");
        }
    }

    /**
     * Creates a manual trigger for all items or for one item. The items need not exist: they may have been chosen under
     * a former or a future item count.
     */
    private void trigger(ChangeWorld now, Steps<ChangeWorld> steps) {
        for (Trigger each : now.triggers) {
            if (each.progress == Progress.UNKNOWN) {
                for (int of = 1; of < 1 << ChangeWorld.ITEMS; of++) {
                    for (int total = scenario.reruns ? 1 : 0;
                            total <= (scenario.reruns ? ChangeWorld.ITEMS : 0);
                            total++) {
                        create(each, of, total, steps);
                    }
                }
                return; // creates triggers only in the order of their numbers
            }
        }
    }

    private static void create(Trigger waiting, int asked, int total, Steps<ChangeWorld> steps) {
        ChangeWorld next = steps.next();
        Trigger trigger = next.triggers[waiting.number - 1];
        trigger.progress = Progress.WAITING;
        trigger.items = asked;
        trigger.total = total;
        steps.takeFault(
                next,
                () -> "trigger " + waiting.number + " is created, for " + named(asked)
                        + (total == 0 ? "" : " of " + total));
    }

    private static String named(int items) {
        return items == 1 ? "item 0" : items == 2 ? "item 1" : "all items";
    }

    /** Returns true if the plan is open with the configured item count, and if no fire or trigger is left. */
    @Override
    public boolean finished(ChangeWorld world) {
        boolean done = !world.plan.closed && world.plan.total == world.desired() && world.plan.skips == world.skip;
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
                "change: item count %s, %d %s, failover %s%s",
                scenario.totals.stream().map(String::valueOf).collect(Collectors.joining(" to ")),
                scenario.triggers,
                scenario.reruns ? "re-runs" : "triggers",
                scenario.failover.name().toLowerCase(Locale.ROOT),
                scenario.skips ? ", a skipped fire" : "");
    }
}
