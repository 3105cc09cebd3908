package io.ostraka.faults.model;

import io.ostraka.faults.model.BackfillWorld.Command;
import io.ostraka.faults.model.BackfillWorld.Fire;
import io.ostraka.faults.model.BackfillWorld.Sent;
import io.ostraka.faults.model.BackfillWorld.State;
import io.ostraka.faults.model.Model.Steps;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Model of a backfill. The leader runs it step by step, and keeps its state in one node. A fire begins, ends, and an
 * hour later its progress is deleted. Operators start, stop and resume the backfill, and may purge the job and register
 * it again.
 */
final class BackfillModel implements Model<BackfillWorld> {
    /**
     * Size of the model.
     *
     * @param dates number of dates
     * @param most largest number of fires in flight at the same time: triggered, but not counted yet
     * @param failures number of failures after which the backfill halts
     * @param purges true if the job may be purged and registered again
     * @param epoch true if a leader's write checks its epoch. Without purges, all invariants hold even without this
     *     check: the node is never deleted, so each version has only one content, and the server refuses the writes of
     *     a former leader. With purges the check is needed, because a purge does not change the node
     */
    record Scenario(int dates, int most, int failures, boolean purges, boolean epoch) {
        private Scenario withoutEpoch() {
            return new Scenario(dates, most, failures, purges, false);
        }
    }

    private final Scenario scenario;
    private final Set<Rule> without;
    private final BackfillLeader leaders;

    BackfillModel(Scenario scenario, Set<Rule> without) {
        this.without = without.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(without);
        this.scenario = keeps(Rule.BACKFILL_EPOCH) ? scenario : scenario.withoutEpoch();
        leaders = new BackfillLeader(this.scenario, this.without);
    }

    private boolean keeps(Rule rule) {
        return !without.contains(rule);
    }

    @Override
    public BackfillWorld first() {
        return new BackfillWorld(scenario, keeps(Rule.BACKFILL_VERSION));
    }

    @Override
    public void steps(BackfillWorld now, Steps<BackfillWorld> steps) {
        runFires(now, steps);
        leaders.steps(now, steps);
        command(now, steps);
        commandOfAnother(now, steps);
        if (scenario.purges) {
            purge(now, steps);
        }
    }

    /** Begins and ends fires in any order. Deletes the progress of a fire at any time after its end. */
    private static void runFires(BackfillWorld now, Steps<BackfillWorld> steps) {
        for (int i = 0; i < now.fires.length; i++) {
            int date = i;
            Fire fire = now.fires[date];
            if (fire == Fire.WAITING && now.registered) {
                fire(date, Fire.BEGUN, steps, "the fire of date " + date + " begins");
            } else if (fire == Fire.BEGUN) {
                fire(date, Fire.SUCCEEDED, steps, "the fire of date " + date + " succeeds");
                fire(date, Fire.FAILED, steps, "the fire of date " + date + " fails");
            } else if (fire == Fire.SUCCEEDED || fire == Fire.FAILED) {
                BackfillWorld next = steps.next();
                next.fires[date] = fire.withoutProgress();
                steps.takeFault(next, () -> "the progress of date " + date + " is deleted");
            }
        }
    }

    private static void fire(int date, Fire becomes, Steps<BackfillWorld> steps, String what) {
        BackfillWorld next = steps.next();
        next.fires[date] = becomes;
        steps.take(next, () -> what);
    }

    /**
     * Purges the job, which deletes its nodes and triggers; or registers the purged job again. Either may happen before
     * the leader has seen an earlier step.
     */
    private static void purge(BackfillWorld now, Steps<BackfillWorld> steps) {
        BackfillWorld next = steps.next();
        if (now.registered) {
            next.purge();
        } else {
            next.registered = true;
        }
        steps.takeFault(next, () -> now.registered ? "the job is purged" : "the job is registered again");
    }

    /** Performs the next step of an operator's command. Requests and replies may be late or lost. */
    private void command(BackfillWorld now, Steps<BackfillWorld> steps) {
        if (now.command == Command.NONE) {
            for (Command command : Command.values()) {
                if (command != Command.NONE) {
                    BackfillWorld next = steps.next();
                    next.command = command;
                    steps.takeFault(next, () -> "an operator wants to " + named(command));
                }
            }
            return;
        }
        switch (now.sent) {
            case NOTHING -> read(now, steps);
            case CURRENT -> {
                execute(now, steps);
                BackfillWorld lost = steps.next();
                lost.sent = Sent.NOTHING;
                steps.takeFault(lost, () -> "the request to " + named(now.command) + " is lost");
            }
            case OF_DELETED -> {
                if (now.exists) {
                    BackfillWorld next = steps.next();
                    next.violate("a request to " + named(now.command)
                            + " overwrites another backfill, whose node has the same version");
                    steps.take(next, () -> "the server executes the request to " + named(now.command));
                }
                BackfillWorld refused = steps.next();
                refused.sent = Sent.NOTHING;
                steps.take(refused, () -> "the request to " + named(now.command) + " is refused");
            }
            case EXECUTED -> {
                end(steps, "the operator learns that the request to " + named(now.command) + " was executed");
                BackfillWorld lost = steps.next();
                lost.sent = Sent.NOTHING;
                steps.takeFault(
                        lost, () -> "the reply to " + named(now.command) + " is lost, and the operator reads again");
            }
        }
    }

    private static String named(Command command) {
        return command.name().toLowerCase(Locale.ROOT) + " the backfill";
    }

    private static void end(Steps<BackfillWorld> steps, String what) {
        BackfillWorld next = steps.next();
        next.command = Command.NONE;
        steps.take(next, () -> what);
    }

    /** Reads the node. Then sends a request, or finds that the command has no effect now. */
    private void read(BackfillWorld now, Steps<BackfillWorld> steps) {
        boolean known = now.exists && now.node.listed && keeps(Rule.REQUEST_ONCE);
        if (known || !applies(now, now.command)) {
            end(steps, "the operator reads that there is nothing to " + named(now.command));
            return;
        }
        BackfillWorld next = steps.next();
        next.sent = Sent.CURRENT;
        steps.take(next, () -> "the operator reads the node, and sends a request to " + named(now.command));
    }

    private boolean applies(BackfillWorld now, Command command) {
        State state = now.node.state;
        return switch (command) {
            case NONE -> false;
            case START -> !now.exists || now.node.replaceable();
            case STOP -> now.exists && state == State.RUNNING;
            case RESUME ->
                now.exists && (state == State.STOPPED || state == State.FAILED || !keeps(Rule.RESUME_HALTED));
        };
    }

    private static void execute(BackfillWorld now, Steps<BackfillWorld> steps) {
        Command command = now.command;
        if (command == Command.START && !now.registered) {
            end(steps, "the start is refused because the job is not registered");
            return;
        }
        BackfillWorld next = steps.next();
        if (now.tookEffect) {
            next.violate("one request to " + named(command) + " takes effect twice");
        }
        apply(next, command);
        next.node.purged |= command == Command.START && now.sentBeforePurge;
        next.sent = Sent.EXECUTED;
        next.tookEffect = true;
        next.node.listed = true;
        steps.take(next, () -> "the server executes the request to " + named(command));
    }

    /** Applies a command to the content of the node that was read. */
    private static void apply(BackfillWorld next, Command command) {
        next.written();
        switch (command) {
            case NONE -> {}
            case START -> {
                if (next.triggers() != 0) {
                    next.violate("a backfill replaces another whose fires are in flight");
                }
                next.exists = true;
                next.reset();
            }
            case STOP -> next.node.state = State.STOPPED;
            case RESUME -> {
                boolean halted = next.node.state == State.STOPPED || next.node.state == State.FAILED;
                next.failures = halted ? 0 : next.failures;
                next.node.state = State.RUNNING;
                next.node.failures = 0;
            }
        }
    }

    /**
     * Executes a command of another operator in a single step. More steps are not needed, because the server refuses a
     * command that was decided from an outdated version.
     */
    private void commandOfAnother(BackfillWorld now, Steps<BackfillWorld> steps) {
        for (Command command : Command.values()) {
            if (applies(now, command) && (command != Command.START || now.registered)) {
                BackfillWorld next = steps.next();
                apply(next, command);
                steps.takeFault(next, () -> "another operator lets the server " + named(command));
            }
        }
    }

    /** Returns true if there is no backfill, or if it has halted and all its fires are counted. */
    @Override
    public boolean finished(BackfillWorld world) {
        return !world.exists || world.node.replaceable();
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT,
                "backfill: %d dates, at most %d in flight, halts after %d failures, purges %s, epoch %s",
                scenario.dates,
                scenario.most,
                scenario.failures,
                scenario.purges ? "on" : "off",
                scenario.epoch ? "checked" : "unchecked");
    }
}
