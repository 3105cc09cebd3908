package io.ostraka.faults.model;

import io.ostraka.faults.model.OnceWorld.Call;
import io.ostraka.faults.model.OnceWorld.Instance;
import io.ostraka.faults.model.OnceWorld.Item;
import io.ostraka.faults.model.OnceWorld.Phase;
import io.ostraka.faults.model.OnceWorld.Session;
import io.ostraka.faults.model.OnceWorld.Share;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Model of once-listeners. The cluster calls them once when a fire starts, and once after the fire has ended. Claims
 * and completions are single steps; {@link ClaimModel} models their details. Any instance may read the fire's node at
 * any time.
 */
final class OnceModel implements Model<OnceWorld> {
    /**
     * Size of the model.
     *
     * @param instances number of instances that host the job
     * @param listening number of instances that have the listener's code; these are the ones with the lowest numbers
     * @param failover true if instances run interrupted items again
     */
    record Scenario(int instances, int listening, boolean failover) {}

    private final Scenario scenario;
    private final Set<Rule> without;

    OnceModel(Scenario scenario, Set<Rule> without) {
        this.scenario = scenario;
        this.without = without.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(without);
    }

    private boolean keeps(Rule rule) {
        return !without.contains(rule);
    }

    @Override
    public OnceWorld first() {
        return new OnceWorld(scenario);
    }

    @Override
    public void steps(OnceWorld now, Steps<OnceWorld> steps) {
        for (Instance instance : now.instances) {
            fail(now, instance, steps);
            for (int item = 0; item < OnceWorld.ITEMS; item++) {
                claim(now, instance, item, steps);
                run(now, instance, item, steps);
            }
            call(now, instance, true, steps);
            call(now, instance, false, steps);
            takeOver(now, instance, steps);
            close(now, instance, steps);
        }
        for (int item = 0; item < OnceWorld.ITEMS; item++) {
            skip(now, item, steps);
            sweep(now, item, steps);
        }
        passOver(now, steps);
    }

    /** Kills a process, or ends its session. After the end of its session, the process may continue with a new one. */
    private static void fail(OnceWorld now, Instance instance, Steps<OnceWorld> steps) {
        int living = 0;
        for (Instance each : now.instances) {
            living += each.live() ? 1 : 0;
        }
        if (instance.live() && living > 1) {
            end(now, instance, Session.LOST, "the session of %s ends", steps);
            end(now, instance, Session.DEAD, "%s dies", steps);
        } else if (instance.session == Session.LOST) {
            end(now, instance, Session.DEAD, "%s dies after its session", steps);
            OnceWorld next = steps.next();
            next.instances[instance.number].session = Session.BACK;
            steps.takeFault(next, () -> instance.name() + " opens a new session");
        }
    }

    private static void end(OnceWorld now, Instance instance, Session how, String what, Steps<OnceWorld> steps) {
        OnceWorld next = steps.next();
        Instance ended = next.instances[instance.number];
        ended.session = how;
        if (how == Session.DEAD) {
            ended.before = Call.NONE;
            ended.after = Call.NONE;
        }
        for (int i = 0; i < now.items.length; i++) {
            next.items[i].code &= next.items[i].owner != instance.number;
        }
        steps.takeFault(next, () -> String.format(Locale.ROOT, what, instance.name()));
    }

    /**
     * Claims an item, for the first time or after its owner has ended. The first claim of a fire creates the fire's
     * node.
     */
    private void claim(OnceWorld now, Instance instance, int item, Steps<OnceWorld> steps) {
        Item known = now.items[item];
        boolean interrupted = known.share == Share.CLAIMED && !now.instances[known.owner].live();
        if (!instance.live() || !(known.share == Share.UNDECIDED || interrupted)) {
            return;
        }
        OnceWorld next = steps.next();
        if (interrupted && !scenario.failover) {
            next.items[item].share = Share.ENDED;
            takeOff(next, item, closer(instance));
            steps.take(next, () -> instance.name() + " records item " + item + " as interrupted");
            return;
        }
        next.items[item].share = Share.CLAIMED;
        next.items[item].owner = instance.number;
        if (now.phase == Phase.NONE) {
            next.phase = Phase.BEGINNING;
            next.left = OnceWorld.EVERY_ITEM;
            next.caller = closer(instance);
        } else if (now.phase == Phase.ENDED) {
            next.violate("a fire that has ended starts again");
        }
        steps.take(next, () -> instance.name() + " claims item " + item);
    }

    /**
     * Returns the caller that a write of this instance names. This is the instance itself if it has the listener's
     * code; otherwise there is none.
     */
    private static int closer(Instance instance) {
        return instance.listens ? instance.number + 1 : 0;
    }

    /** Starts the code of a claimed item when the fire's node is open. A later step ends the item. */
    private void run(OnceWorld now, Instance instance, int item, Steps<OnceWorld> steps) {
        Item known = now.items[item];
        if (!instance.live() || known.share != Share.CLAIMED || known.owner != instance.number) {
            return;
        }
        if (known.code) {
            OnceWorld next = steps.next();
            next.items[item].share = Share.ENDED;
            takeOff(next, item, closer(instance));
            steps.take(next, () -> "item " + item + " ends at " + instance.name());
            return;
        }
        if (!scenario.failover) {
            OnceWorld next = steps.next();
            next.items[item].share = Share.ENDED;
            takeOff(next, item, closer(instance));
            steps.takeFault(next, () -> instance.name() + " gives up item " + item + " before its code starts");
        }
        if (now.phase != Phase.BEGINNING || !keeps(Rule.WAIT_FOR_OPEN)) {
            OnceWorld next = steps.next();
            next.items[item].code = true;
            if (now.phase == Phase.BEGINNING || now.inside(true)) {
                next.violate("an item's code starts before beforeFirst has returned");
            } else if (now.phase != Phase.OPEN) {
                next.violate("an item's code starts after the call of afterLast");
            }
            steps.take(next, () -> "item " + item + " starts at " + instance.name());
        }
    }

    /**
     * Removes an item from the fire's node if the node exists. The write that removes the last item names the caller of
     * afterLast.
     */
    private void takeOff(OnceWorld next, int item, int closer) {
        next.left &= ~(1 << item);
        boolean early = next.phase == Phase.BEGINNING && !keeps(Rule.CLOSE_AFTER_BEGINNING);
        if (next.left == 0 && (next.phase == Phase.OPEN || early)) {
            next.phase = keeps(Rule.LAST_CLOSES) ? Phase.CLOSING : Phase.OPEN;
            next.caller = closer;
        }
    }

    /**
     * Closes the fire in a separate write. This step exists only without the rule LAST_CLOSES. The instance that ended
     * the last item must still be alive.
     */
    private void close(OnceWorld now, Instance instance, Steps<OnceWorld> steps) {
        if (now.phase == Phase.OPEN && now.left == 0 && instance.live() && now.names(instance)) {
            OnceWorld next = steps.next();
            next.phase = Phase.CLOSING;
            steps.take(next, () -> instance.name() + " closes the fire");
        }
    }

    /** Calls the listener if the fire's node names this instance, and writes the next phase. */
    private void call(OnceWorld now, Instance instance, boolean before, Steps<OnceWorld> steps) {
        Call call = before ? instance.before : instance.after;
        Phase phase = before ? Phase.BEGINNING : Phase.CLOSING;
        boolean due = now.phase == phase && now.names(instance);
        if (instance.live() && due && call == Call.NONE) {
            OnceWorld next = steps.next();
            set(next.instances[instance.number], before, Call.INSIDE);
            for (Instance other : now.instances) {
                boolean called = (before ? other.before : other.after) != Call.NONE;
                if (other.live() && other.number != instance.number && called) {
                    next.violate("two live instances call the same listener method");
                }
            }
            if (!before && now.inside(true)) {
                next.violate("afterLast is called before beforeFirst has returned");
            }
            for (Item item : now.items) {
                boolean runs = item.share == Share.CLAIMED && item.code;
                if (!before && (runs || item.share == Share.UNDECIDED)) {
                    next.violate("afterLast is called before all items have ended");
                }
            }
            steps.take(next, () -> instance.name() + " begins to call " + named(before));
        } else if (call == Call.INSIDE) {
            OnceWorld next = steps.next();
            set(next.instances[instance.number], before, Call.RETURNED);
            steps.take(next, () -> instance.name() + " has called " + named(before));
        } else if (call == Call.RETURNED) {
            boolean writes = instance.live() || instance.session == Session.BACK;
            boolean blind = !keeps(before ? Rule.OPEN_VERSION : Rule.END_VERSION) && now.phase == phase;
            if (writes && (due || blind)) {
                OnceWorld next = steps.next();
                moveOn(next, before, closer(instance));
                if (next.phase == Phase.ENDED && now.insideOther(instance)) {
                    next.violate("the fire's node is deleted while another instance is still in afterLast");
                }
                steps.take(next, () -> instance.name() + " writes that " + named(before) + " has been called");
            }
            if (writes && due && !keeps(Rule.CALL_ONCE)) {
                OnceWorld next = steps.next();
                next.violate("one instance calls the same listener method twice");
                steps.take(next, () -> instance.name() + " reads its own name and calls " + named(before) + " again");
            }
        }
    }

    private static void set(Instance instance, boolean before, Call call) {
        if (before) {
            instance.before = call;
        } else {
            instance.after = call;
        }
    }

    private static String named(boolean before) {
        return before ? "beforeFirst" : "afterLast";
    }

    private static void moveOn(OnceWorld next, boolean before, int closer) {
        if (!before) {
            next.phase = Phase.ENDED;
        } else if (next.left == 0) {
            next.phase = Phase.CLOSING;
            next.caller = closer;
        } else {
            next.phase = Phase.OPEN;
        }
    }

    /**
     * Makes this instance the caller if the present caller has ended or the node names no caller. The write succeeds
     * only if the node has not changed since the instance read it.
     */
    private void takeOver(OnceWorld now, Instance instance, Steps<OnceWorld> steps) {
        boolean calling = now.phase == Phase.BEGINNING || now.phase == Phase.CLOSING;
        boolean free = keeps(Rule.CALLER_GONE) ? now.callerGone() : !now.names(instance);
        if (!instance.live() || !instance.listens || !calling || !free) {
            return;
        }
        OnceWorld next = steps.next();
        next.caller = instance.number + 1;
        if (now.phase == Phase.BEGINNING && now.left == 0) {
            next.phase = Phase.CLOSING;
        }
        steps.take(next, () -> instance.name() + " becomes the caller");
        if (!keeps(Rule.TAKEOVER_VERSION)) {
            for (Instance other : now.instances) {
                if (other.live() && other.listens && other.number != instance.number) {
                    OnceWorld both = steps.next();
                    both.caller = instance.number + 1;
                    set(both.instances[other.number], now.phase == Phase.BEGINNING, Call.INSIDE);
                    steps.take(both, () -> other.name() + " and then " + instance.name() + " become the caller");
                }
            }
        }
    }

    /**
     * Skips the fire for an item, because of a misfire or an overlap. The owner writes only the record, not the fire's
     * node.
     */
    private static void skip(OnceWorld now, int item, Steps<OnceWorld> steps) {
        if (now.items[item].share == Share.UNDECIDED) {
            OnceWorld next = steps.next();
            next.items[item].share = Share.SKIPPED;
            steps.takeFault(next, () -> "item " + item + " skips the fire");
        }
    }

    /**
     * Removes an item from the fire's node if the item will not run the fire. If the item is disabled and therefore has
     * not decided the fire, the leader also writes the item's record.
     */
    private void sweep(OnceWorld now, int item, Steps<OnceWorld> steps) {
        boolean listed = now.phase != Phase.NONE && now.phase != Phase.ENDED && (now.left & 1 << item) != 0;
        if (!listed) {
            return;
        }
        Share share = now.items[item].share;
        if (share == Share.SKIPPED && keeps(Rule.SWEEP)) {
            OnceWorld next = steps.next();
            takeOff(next, item, 0);
            steps.take(next, () -> "the leader takes off item " + item + ", which has skipped the fire");
        } else if (share == Share.UNDECIDED) {
            OnceWorld next = steps.next();
            next.items[item].share = keeps(Rule.DECIDED_WITH_RECORD) ? Share.ENDED : Share.UNDECIDED;
            takeOff(next, item, 0);
            steps.takeFault(next, () -> "the leader takes off item " + item + ", which is disabled");
        }
    }

    /** Continues the fire without a call if no live instance has the listener's code. */
    private void passOver(OnceWorld now, Steps<OnceWorld> steps) {
        boolean calling = now.phase == Phase.BEGINNING || now.phase == Phase.CLOSING;
        boolean listening = false;
        for (Instance each : now.instances) {
            listening |= each.live() && each.listens;
        }
        if (calling && now.callerGone() && !listening && keeps(Rule.PASS_OVER)) {
            OnceWorld next = steps.next();
            moveOn(next, now.phase == Phase.BEGINNING, 0);
            steps.take(next, () -> "the leader continues the fire without a listener");
        }
    }

    @Override
    public boolean finished(OnceWorld world) {
        boolean decided = true;
        for (Item item : world.items) {
            decided &= item.share == Share.ENDED || item.share == Share.SKIPPED;
        }
        return decided && (world.phase == Phase.NONE || world.phase == Phase.ENDED);
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT,
                "once: %d instances, %d with the listener, %d items, failover %s",
                scenario.instances,
                scenario.listening,
                OnceWorld.ITEMS,
                scenario.failover ? "on" : "off");
    }
}
