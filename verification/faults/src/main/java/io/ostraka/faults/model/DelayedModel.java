package io.ostraka.faults.model;

import io.ostraka.faults.model.DelayedWorld.Fate;
import io.ostraka.faults.model.DelayedWorld.Fire;
import io.ostraka.faults.model.DelayedWorld.Run;
import io.ostraka.faults.model.DelayedWorld.Stage;
import io.ostraka.faults.model.DelayedWorld.Sweep;
import io.ostraka.faults.model.DelayedWorld.View;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Model of delayed triggers with one key. The leader releases each trigger when it is due, and operators cancel
 * triggers. A waiting run has two nodes: the node of the key, and a second node named after the run. A fire begins,
 * ends, and an hour later its node is deleted.
 */
final class DelayedModel implements Model<DelayedWorld> {
    /**
     * Size of the model.
     *
     * @param runs number of runs, one after the other with the same key
     * @param sweeps true if the second node may be deleted by hand, after which the leader creates it again
     * @param epoch true if a release checks the epoch. All invariants hold even without this check: a release deletes
     *     the nodes of its own run, so if the run no longer waits, the server refuses the release of a former leader
     */
    record Scenario(int runs, boolean sweeps, boolean epoch) {}

    private final Scenario scenario;
    private final Set<Rule> without;

    DelayedModel(Scenario scenario, Set<Rule> without) {
        this.scenario = scenario;
        this.without = without.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(without);
    }

    private boolean keeps(Rule rule) {
        return !without.contains(rule);
    }

    @Override
    public DelayedWorld first() {
        return new DelayedWorld(scenario);
    }

    @Override
    public void steps(DelayedWorld now, Steps<DelayedWorld> steps) {
        for (int run = 1; run <= now.runs(); run++) {
            request(now, run, steps);
            runFire(now, run, steps);
        }
        takeEpoch(now, steps);
        lead(now, now.leader, "the leader", steps);
        lead(now, now.former, scenario.epoch ? "late, the leader" : "the former leader", steps);
        command(now, steps);
        commandOfAnother(now, steps);
    }

    /**
     * Requests the next run if the key is free. Alternatively, deletes the second node of a run, as a person might do
     * by hand.
     */
    private void request(DelayedWorld now, int run, Steps<DelayedWorld> steps) {
        if (now.requestable(run)) {
            DelayedWorld next = steps.next();
            next.request(run);
            steps.takeFault(next, () -> DelayedWorld.named(run) + " is requested");
        }
        if (scenario.sweeps && now.waiting == run && now.run(run).second) {
            DelayedWorld next = steps.next();
            next.run(run).second = false;
            steps.takeFault(next, () -> "the second node of " + DelayedWorld.named(run) + " is deleted by hand");
        }
    }

    /** Begins and ends a fire, and deletes its node at any time after the end. */
    private static void runFire(DelayedWorld now, int run, Steps<DelayedWorld> steps) {
        Run known = now.run(run);
        String name = DelayedWorld.named(run);
        if (known.fire == Fire.NONE && known.trigger) {
            DelayedWorld next = steps.next();
            next.run(run).fire = Fire.BEGUN;
            if (known.fate == Fate.CANCELLED) {
                next.violate(name + " begins after it was cancelled");
            }
            steps.take(next, () -> name + " begins");
        } else if (known.trigger) { // includes a fire that had ended before the trigger was created
            DelayedWorld next = steps.next();
            next.run(run).fire = known.fire == Fire.BEGUN ? Fire.ENDED : known.fire;
            next.run(run).trigger = false;
            steps.take(next, () -> name + " ends");
        } else if (known.fire == Fire.ENDED || known.fire == Fire.CANCELLED) {
            DelayedWorld next = steps.next();
            next.run(run).fire = Fire.DELETED;
            steps.takeFault(next, () -> "the fire's node of " + name + " is deleted");
        }
    }

    /**
     * Replaces the leader with a new one that has not read anything yet. This step also stands for a leader that
     * crashes and starts again.
     */
    private void takeEpoch(DelayedWorld now, Steps<DelayedWorld> steps) {
        if (now.leader.idle() && now.former.idle()) {
            return;
        }
        DelayedWorld next = steps.next();
        next.former.due = scenario.epoch ? 0 : now.leader.due != 0 ? now.leader.due : now.former.due;
        if (keeps(Rule.SWEEP_EPOCH)) {
            next.former.endSweep();
        } else if (now.leader.sweep != Sweep.NONE) {
            next.former.sweep = now.leader.sweep;
            next.former.swept = now.leader.swept;
        }
        next.leader.due = 0;
        next.leader.creating = 0;
        next.leader.endSweep();
        steps.takeFault(next, () -> "another leader takes the epoch");
    }

    private static View of(DelayedWorld now, View view, DelayedWorld next) {
        return view == now.leader ? next.leader : next.former;
    }

    private void lead(DelayedWorld now, View view, String who, Steps<DelayedWorld> steps) {
        if (view.creating != 0) {
            DelayedWorld next = steps.next();
            of(now, view, next).creating = 0;
            next.run(view.creating).trigger = true;
            steps.take(next, () -> who + " creates the trigger of " + DelayedWorld.named(view.creating));
        } else if (view.due != 0) {
            release(now, view, who, steps);
        } else if (view == now.leader && now.waiting != 0) {
            DelayedWorld next = steps.next();
            next.leader.due = now.waiting;
            steps.take(next, () -> who + " reads that " + DelayedWorld.named(now.waiting) + " is due");
        }
        if (scenario.sweeps) {
            sweep(now, view, who, steps);
        }
    }

    /** Sends the release. The server executes it, refuses it, never receives it, or executes it late. */
    private void release(DelayedWorld now, View view, String who, Steps<DelayedWorld> steps) {
        int run = view.due;
        DelayedWorld next = steps.next();
        View own = of(now, view, next);
        own.due = 0;
        if (now.waiting == 0 || (!now.run(run).second && keeps(Rule.SECOND_NODE))) {
            steps.take(next, () -> who + " is refused to release " + DelayedWorld.named(run));
        } else {
            next.delete(run, Fate.RELEASED);
            if (keeps(Rule.RELEASE_TOGETHER)) {
                next.run(run).trigger = true;
            } else {
                own.creating = run;
            }
            steps.take(next, () -> who + " releases " + DelayedWorld.named(run));
        }
        if (view == now.leader) {
            DelayedWorld lost = steps.next();
            lost.leader.due = 0;
            steps.takeFault(lost, () -> "the release of " + DelayedWorld.named(run) + " is lost");
            DelayedWorld late = steps.next();
            late.leader.due = 0;
            late.former.due = run;
            steps.takeFault(
                    late,
                    () -> who + " gets no reply to the release of " + DelayedWorld.named(run)
                            + ", and the server may still execute it");
        }
    }

    /**
     * Performs the next step of the leader's check that the waiting run has its second node. The last step creates the
     * node if it is missing.
     */
    private void sweep(DelayedWorld now, View view, String who, Steps<DelayedWorld> steps) {
        DelayedWorld next = steps.next();
        View own = of(now, view, next);
        String second = view.sweep.compareTo(Sweep.LISTED) > 0
                ? "the second node of " + DelayedWorld.named(view.swept)
                : "the second nodes";
        switch (view.sweep) {
            case NONE -> {
                if (view == now.leader) {
                    own.sweep = Sweep.LISTED;
                    own.swept = now.seconds();
                    steps.take(next, () -> who + " lists " + second);
                }
            }
            case LISTED -> {
                own.endSweep();
                if (now.waiting != 0 && (view.swept & 1 << (now.waiting - 1)) == 0) {
                    own.sweep = keeps(Rule.SWEEP_AGAIN) ? Sweep.MISSING : Sweep.CREATING;
                    own.swept = now.waiting;
                }
                steps.take(
                        next,
                        () -> who + " reads which run waits, and misses "
                                + (own.swept == 0 ? "nothing" : "the second node of " + DelayedWorld.named(own.swept)));
            }
            case MISSING -> {
                if (now.run(view.swept).second) {
                    own.endSweep();
                } else {
                    own.sweep = Sweep.STILL_MISSING;
                }
                steps.take(next, () -> who + " reads " + second + " again");
            }
            case STILL_MISSING -> {
                if (now.waiting == view.swept) {
                    own.sweep = Sweep.CREATING;
                } else {
                    own.endSweep();
                }
                steps.take(next, () -> who + " reads again which run waits");
            }
            case CREATING -> {
                next.run(view.swept).second = true;
                own.endSweep();
                steps.take(next, () -> who + " creates " + second);
            }
        }
    }

    /** Performs the next step of an operator's command. Requests and replies may be late or lost. */
    private void command(DelayedWorld now, Steps<DelayedWorld> steps) {
        if (now.late != 0) {
            DelayedWorld next = steps.next();
            boolean executed = cancel(next, now.late);
            next.late = 0;
            steps.take(
                    next,
                    () -> "late, the server " + (executed ? "executes" : "refuses") + " the request to cancel "
                            + DelayedWorld.named(now.late));
        }
        String name = now.named == 0 ? "" : DelayedWorld.named(now.named);
        DelayedWorld next = steps.next();
        boolean ordered = keeps(Rule.CANCEL_READS_IN_ORDER);
        switch (now.stage) {
            case NONE -> {
                for (int run = 1; run <= now.runs(); run++) {
                    if (now.run(run).fate != Fate.UNREQUESTED) {
                        want(run, steps);
                    }
                }
            }
            case READ_WAITING -> {
                next.stage = now.waiting == now.named ? Stage.SENT : Stage.READ_TRIGGERS;
                if (!ordered && next.stage == Stage.READ_TRIGGERS) {
                    answer(next, Fate.UNREQUESTED);
                }
                steps.take(
                        next,
                        () -> "the operator reads that " + name
                                + (now.waiting == now.named ? " waits, and sends a request" : " does not wait"));
            }
            case READ_TRIGGERS -> {
                next.stage = Stage.READ_FIRE;
                if (now.run(now.named).trigger) {
                    answer(next, Fate.RELEASED);
                } else if (!keeps(Rule.CANCEL_READS_FIRE)) {
                    answer(next, Fate.UNREQUESTED);
                }
                steps.take(next, () -> "the operator reads the triggers");
            }
            case READ_FIRE -> {
                Fire fire = now.run(now.named).fire;
                if (fire == Fire.CANCELLED) {
                    answer(next, Fate.CANCELLED);
                } else if (fire == Fire.BEGUN || fire == Fire.ENDED) {
                    answer(next, Fate.RELEASED);
                } else if (ordered) {
                    answer(next, Fate.UNREQUESTED);
                } else {
                    next.stage = Stage.READ_WAITING;
                }
                steps.take(next, () -> "the operator reads the fire of " + name);
            }
            case SENT -> send(now, name, steps);
            case EXECUTED -> {
                answer(next, Fate.CANCELLED);
                steps.take(next, () -> "the operator learns that " + name + " was cancelled");
                DelayedWorld lost = steps.next();
                lost.stage = Stage.NONE;
                steps.takeFault(lost, () -> "the reply to the cancellation of " + name + " is lost");
            }
        }
    }

    /** Begins a command. If an operator repeats a command, this counts as another command for the same run. */
    private void want(int run, Steps<DelayedWorld> steps) {
        DelayedWorld next = steps.next();
        next.named = run;
        next.stage = keeps(Rule.CANCEL_READS_IN_ORDER) ? Stage.READ_WAITING : Stage.READ_TRIGGERS;
        steps.takeFault(next, () -> "an operator wants to cancel " + DelayedWorld.named(run));
    }

    private void send(DelayedWorld now, String name, Steps<DelayedWorld> steps) {
        DelayedWorld next = steps.next();
        boolean executed = cancel(next, now.named);
        next.stage = executed ? Stage.EXECUTED : Stage.READ_WAITING;
        steps.take(next, () -> "the server " + (executed ? "executes" : "refuses") + " the request to cancel " + name);
        DelayedWorld lost = steps.next();
        if (keeps(Rule.UNKNOWN_CANCELLATION)) {
            lost.stage = Stage.NONE;
        } else {
            answer(lost, Fate.CANCELLED);
        }
        steps.takeFault(lost, () -> "the request to cancel " + name + " is lost");
        DelayedWorld late = steps.next();
        late.stage = Stage.NONE;
        late.late = now.named;
        steps.takeFault(
                late,
                () -> "the operator gets no reply to the cancellation of " + name
                        + ", and the server may still execute it");
    }

    /** Executes the cancellation of a run, unless the server refuses it. Returns whether it was executed. */
    private boolean cancel(DelayedWorld next, int run) {
        Run known = next.run(run);
        boolean waits = next.waiting != 0 && (known.second || !keeps(Rule.SECOND_NODE));
        if ((!waits && keeps(Rule.CANCEL_WAITING))
                || known.fire == Fire.BEGUN
                || known.fire == Fire.ENDED
                || known.fire == Fire.CANCELLED) {
            return false;
        }
        next.delete(run, Fate.CANCELLED);
        if (keeps(Rule.CANCELLED_FIRE)) {
            known.fire = Fire.CANCELLED;
        }
        return true;
    }

    /** Ends the command with an answer: the state of the run, or UNREQUESTED if no node contains the run. */
    private static void answer(DelayedWorld next, Fate answer) {
        Run run = next.run(next.named);
        boolean forgotten = answer == Fate.UNREQUESTED && run.fire == Fire.DELETED;
        if (answer != run.fate && !forgotten) {
            next.violate("the operator learns that " + DelayedWorld.named(next.named) + " is "
                    + (answer == Fate.UNREQUESTED ? "unknown" : answer) + ", but it is " + run.fate);
        }
        next.stage = Stage.NONE;
    }

    /** Executes a command of another operator. It is a single step. */
    private void commandOfAnother(DelayedWorld now, Steps<DelayedWorld> steps) {
        if (now.waiting != 0) {
            DelayedWorld next = steps.next();
            if (cancel(next, now.waiting)) {
                steps.takeFault(next, () -> "another operator cancels " + DelayedWorld.named(now.waiting));
            }
        }
    }

    /** Returns true if every requested run has ended or is cancelled, and if the operator has an answer. */
    @Override
    public boolean finished(DelayedWorld world) {
        boolean ended = world.stage == Stage.NONE;
        for (int run = 1; run <= world.runs(); run++) {
            Run each = world.run(run);
            ended &= each.fate == Fate.UNREQUESTED
                    || each.fate == Fate.CANCELLED
                    || each.fire == Fire.ENDED
                    || each.fire == Fire.DELETED;
        }
        return ended;
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT,
                "delayed: %d runs with one key, sweeps %s, epoch %s",
                scenario.runs,
                scenario.sweeps ? "on" : "off",
                scenario.epoch ? "checked" : "unchecked");
    }
}
