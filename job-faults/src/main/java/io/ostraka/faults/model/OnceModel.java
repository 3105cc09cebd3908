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
 * Who is told, once for the whole cluster, that a fire begins and that it has ended. What the life of one item's fires
 * already shows is one step here: a transaction whose reply is lost is resolved by reading. Anybody may read the fire's node
 * at any time: how an instance comes to look is not the model's.
 */
final class OnceModel implements Model<OnceWorld> {
    /**
     * What happens.
     *
     * @param instances how many host the job
     * @param listening how many of them, the first ones, have the listener's code
     * @param failover whether interrupted items are run again
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
            leaveOut(now, item, steps);
            sweep(now, item, steps);
        }
        passOver(now, steps);
    }

    /** A process dies; or its session ends, late or soon, and the process comes back with another. */
    private static void fail(OnceWorld now, Instance instance, Steps<OnceWorld> steps) {
        int living = 0;
        for (Instance each : now.instances) {
            living += each.live() ? 1 : 0;
        }
        if (instance.live() && living > 1) {
            end(now, instance, Session.LOST, "the session of %s ends", steps);
            end(now, instance, Session.DEAD, "%s dies", steps);
        } else if (instance.session == Session.LOST) {
            end(now, instance, Session.DEAD, "%s dies, without its session", steps);
            OnceWorld next = steps.next();
            next.instances[instance.number].session = Session.BACK;
            steps.befall(next, () -> instance.name() + " has another session");
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
        steps.befall(next, () -> String.format(Locale.ROOT, what, instance.name()));
    }

    /** An item is claimed, for the first time or as what its owner has left; the first claim of a fire begins it. */
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
            next.violate("a fire that has ended begins once more");
        }
        steps.take(next, () -> instance.name() + " claims item " + item);
    }

    /** Who is named by what an instance writes: itself, if it has the code. */
    private static int closer(Instance instance) {
        return instance.listens ? instance.number + 1 : 0;
    }

    /** A claimed item's code starts, once the fire is seen to be open, and ends. */
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
            steps.befall(next, () -> instance.name() + " gives item " + item + " up before it has started");
        }
        if (now.phase != Phase.BEGINNING || !keeps(Rule.WAIT_FOR_OPEN)) {
            OnceWorld next = steps.next();
            next.items[item].code = true;
            if (now.phase == Phase.BEGINNING || now.inside(true)) {
                next.violate("an item's code starts before the fire has been told to begin");
            } else if (now.phase != Phase.OPEN) {
                next.violate("an item's code starts after the fire was told to have ended");
            }
            steps.take(next, () -> "item " + item + " starts at " + instance.name());
        }
    }

    /** Takes an item off the node, where there is one; with the last one somebody is named who is to call afterLast. */
    private void takeOff(OnceWorld next, int item, int closer) {
        next.left &= ~(1 << item);
        boolean early = next.phase == Phase.BEGINNING && !keeps(Rule.CLOSE_AFTER_BEGINNING);
        if (next.left == 0 && (next.phase == Phase.OPEN || early)) {
            next.phase = keeps(Rule.LAST_CLOSES) ? Phase.CLOSING : Phase.OPEN;
            next.caller = closer;
        }
    }

    /** Without the rule, whoever has taken the last item off says so only now, if it still lives. */
    private void close(OnceWorld now, Instance instance, Steps<OnceWorld> steps) {
        if (now.phase == Phase.OPEN && now.left == 0 && instance.live() && now.names(instance)) {
            OnceWorld next = steps.next();
            next.phase = Phase.CLOSING;
            steps.take(next, () -> instance.name() + " closes the fire");
        }
    }

    /** The one that the node names calls, and writes what comes next. */
    private void call(OnceWorld now, Instance instance, boolean before, Steps<OnceWorld> steps) {
        Call call = before ? instance.before : instance.after;
        Phase phase = before ? Phase.BEGINNING : Phase.CLOSING;
        boolean due = now.phase == phase && now.names(instance);
        if (instance.live() && due && call == Call.NONE) {
            OnceWorld next = steps.next();
            set(next.instances[instance.number], before, Call.INSIDE);
            for (Instance other : now.instances) {
                boolean told = (before ? other.before : other.after) != Call.NONE;
                if (other.live() && other.number != instance.number && told) {
                    next.violate("two instances that live call the same");
                }
            }
            if (!before && now.inside(true)) {
                next.violate("the fire is told to have ended before it has been told to begin");
            }
            for (Item item : now.items) {
                boolean runs = item.share == Share.CLAIMED && item.code;
                if (!before && (runs || item.share == Share.UNDECIDED)) {
                    next.violate("the fire is told to have ended while an item is still to end");
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
                    next.violate("the fire has ended while somebody is still told of its end");
                }
                steps.take(next, () -> instance.name() + " writes that " + named(before) + " has been called");
            }
            if (writes && due && !keeps(Rule.CALL_ONCE)) {
                OnceWorld next = steps.next();
                next.violate("one instance calls the same twice");
                steps.take(next, () -> instance.name() + " reads that it is to call " + named(before));
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

    /** Whoever was to call is gone, or was nobody: another takes its place, by the version it has read. */
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
        steps.take(next, () -> instance.name() + " takes the caller's place");
        if (!keeps(Rule.TAKEOVER_VERSION)) {
            for (Instance other : now.instances) {
                if (other.live() && other.listens && other.number != instance.number) {
                    OnceWorld both = steps.next();
                    both.caller = instance.number + 1;
                    set(both.instances[other.number], now.phase == Phase.BEGINNING, Call.INSIDE);
                    steps.take(both, () -> other.name() + " and then " + instance.name() + " take the caller's place");
                }
            }
        }
    }

    /** An item's owner decides the fire without running it: as misfired, or overlapped. The node is not written. */
    private static void leaveOut(OnceWorld now, int item, Steps<OnceWorld> steps) {
        if (now.items[item].share == Share.UNDECIDED) {
            OnceWorld next = steps.next();
            next.items[item].share = Share.LEFT_OUT;
            steps.befall(next, () -> "item " + item + " leaves the fire out");
        }
    }

    /** The leader takes off what will not be run; what nobody has decided, being disabled, together with its record. */
    private void sweep(OnceWorld now, int item, Steps<OnceWorld> steps) {
        boolean stands = now.phase != Phase.NONE && now.phase != Phase.ENDED && (now.left & 1 << item) != 0;
        if (!stands) {
            return;
        }
        Share share = now.items[item].share;
        if (share == Share.LEFT_OUT && keeps(Rule.SWEEP)) {
            OnceWorld next = steps.next();
            takeOff(next, item, 0);
            steps.take(next, () -> "the leader finds that item " + item + " has left the fire out");
        } else if (share == Share.UNDECIDED) {
            OnceWorld next = steps.next();
            next.items[item].share = keeps(Rule.DECIDED_WITH_RECORD) ? Share.ENDED : Share.UNDECIDED;
            takeOff(next, item, 0);
            steps.befall(next, () -> "the leader takes off item " + item + ", which is disabled");
        }
    }

    /** Nobody who lives has the code: the leader has the fire go on without. */
    private void passOver(OnceWorld now, Steps<OnceWorld> steps) {
        boolean calling = now.phase == Phase.BEGINNING || now.phase == Phase.CLOSING;
        boolean anybody = false;
        for (Instance each : now.instances) {
            anybody |= each.live() && each.listens;
        }
        if (calling && now.callerGone() && !anybody && keeps(Rule.PASS_OVER)) {
            OnceWorld next = steps.next();
            moveOn(next, now.phase == Phase.BEGINNING, 0);
            steps.take(next, () -> "the leader has the fire go on without a listener");
        }
    }

    @Override
    public boolean finished(OnceWorld world) {
        boolean decided = true;
        for (Item item : world.items) {
            decided &= item.share == Share.ENDED || item.share == Share.LEFT_OUT;
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
