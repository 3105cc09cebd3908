package io.ostraka.faults.model;

import static io.ostraka.faults.model.OverrideWorld.ABSENT;
import static io.ostraka.faults.model.OverrideWorld.FIELDS;

import io.ostraka.faults.model.Model.Steps;
import io.ostraka.faults.model.OverrideWorld.Command;
import io.ostraka.faults.model.OverrideWorld.Content;
import io.ostraka.faults.model.OverrideWorld.Stage;
import io.ostraka.faults.model.OverrideWorld.View;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Model of an override whose fields may have an end. When the end has passed by the server's clock, the leader reverts
 * the field. Meanwhile operators change, renew or revert the same fields.
 */
final class OverrideModel implements Model<OverrideWorld> {
    /**
     * Size of the model.
     *
     * @param ends number of different times at which a field may end
     * @param purges true if the job may be purged and registered again
     * @param epoch true if a leader's write checks its epoch. Without purges, all invariants hold even without this
     *     check: each version of the node has only one content, an end that has passed stays in the past, and the
     *     server refuses outdated writes of a former leader. With purges the check is needed, because versions start
     *     again after a purge
     */
    record Scenario(int ends, boolean purges, boolean epoch) {}

    private final Scenario scenario;
    private final Set<Rule> without;

    OverrideModel(Scenario scenario, Set<Rule> without) {
        this.without = without.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(without);
        this.scenario = keeps(Rule.EXPIRY_EPOCH) ? scenario : new Scenario(scenario.ends, scenario.purges, false);
    }

    private boolean keeps(Rule rule) {
        return !without.contains(rule);
    }

    @Override
    public OverrideWorld first() {
        return new OverrideWorld(scenario.ends, keeps(Rule.EXPIRY_VERSION));
    }

    @Override
    public void steps(OverrideWorld now, Steps<OverrideWorld> steps) {
        if (now.now < scenario.ends) {
            OverrideWorld next = steps.next();
            next.now++;
            steps.take(next, () -> "the server's clock reaches " + next.now);
        }
        if (scenario.purges) {
            purge(now, steps);
        }
        takeEpoch(now, steps);
        lead(now, now.leader, "the leader", steps);
        lead(now, now.former, scenario.epoch ? "late, the leader" : "the former leader", steps);
        command(now, steps);
        commandOfAnother(now, steps);
    }

    /** Purges the job and registers it again. The leader then has to read the job again and write its plan. */
    private void purge(OverrideWorld now, Steps<OverrideWorld> steps) {
        OverrideWorld next = steps.next();
        if (now.planned) {
            next.purge();
            steps.takeFault(next, () -> "the job is purged and registered again");
        } else {
            next.planned = true;
            next.leader.forget();
            if (scenario.epoch) {
                next.former.forget();
            }
            steps.take(next, () -> "the leader reads the job again and writes its plan");
        }
    }

    /**
     * Replaces the leader with a new one that has not read anything yet. This step also stands for a leader that
     * crashes and starts again.
     */
    private void takeEpoch(OverrideWorld now, Steps<OverrideWorld> steps) {
        if (now.leader.stage == Stage.NONE && now.former.stage == Stage.NONE) {
            return;
        }
        OverrideWorld next = steps.next();
        if (scenario.epoch) {
            next.former.forget();
        } else if (now.leader.stage != Stage.NONE) {
            next.former.set(now.leader);
        }
        next.leader.forget();
        steps.takeFault(next, () -> "another leader takes the epoch");
    }

    private static View of(OverrideWorld now, View view, OverrideWorld next) {
        return view == now.leader ? next.leader : next.former;
    }

    private void lead(OverrideWorld now, View view, String who, Steps<OverrideWorld> steps) {
        switch (view.stage) {
            case NONE -> {
                if (view == now.leader) {
                    OverrideWorld next = steps.next();
                    next.leader.stage = Stage.READ;
                    next.leader.current = true;
                    next.leader.content.set(now.node);
                    steps.take(next, () -> who + " reads the override");
                }
            }
            case READ -> {
                decide(now, view, now.now, who + " decides", steps);
                if (!keeps(Rule.SERVER_CLOCK) && now.now < scenario.ends) {
                    decide(now, view, now.now + 1, who + " decides by a clock that is ahead", steps);
                }
            }
            case DECIDED -> {
                end(now, view, who, steps);
                if (view == now.leader) {
                    OverrideWorld late = steps.next();
                    late.former.set(late.leader);
                    late.leader.forget();
                    steps.takeFault(
                            late, () -> who + " gets no reply to its write, and the server may still execute it");
                    OverrideWorld lost = steps.next();
                    lost.leader.forget();
                    steps.takeFault(lost, () -> "the write of " + who + " is lost");
                }
            }
        }
    }

    private void decide(OverrideWorld now, View view, int clock, String what, Steps<OverrideWorld> steps) {
        int ended = view.content.ended(clock);
        if (ended != 0) {
            OverrideWorld next = steps.next();
            View own = of(now, view, next);
            own.stage = Stage.DECIDED;
            own.ended = keeps(Rule.ENDED_FIELDS) ? ended : (1 << FIELDS) - 1;
            steps.take(next, () -> what + " which fields have ended: " + named(own.ended));
        }
    }

    private static String named(int fields) {
        return switch (fields) {
            case 1 -> OverrideWorld.name(0);
            case 2 -> OverrideWorld.name(1);
            default -> "both";
        };
    }

    /** Sends the write that reverts the ended fields. The server executes or refuses it. */
    private void end(OverrideWorld now, View view, String who, Steps<OverrideWorld> steps) {
        OverrideWorld next = steps.next();
        of(now, view, next).forget();
        boolean matches = view.current || (view.ofPurged && now.exists);
        boolean withoutPlan = view.ofPurged && !now.planned && keeps(Rule.EXPIRY_PLAN);
        if (withoutPlan || (!matches && keeps(Rule.EXPIRY_VERSION))) {
            steps.take(next, () -> who + " is refused because the override or the plan has changed");
            return;
        }
        for (int field = 0; field < FIELDS; field++) {
            int before = now.node.until[field];
            int after = (view.ended & 1 << field) != 0 ? ABSENT : view.content.until[field];
            boolean over = before != ABSENT && before <= now.now;
            if (after != before && before != view.content.until[field]) {
                next.violate("the leader undoes an operator's change of " + OverrideWorld.name(field));
            } else if (after != before && !over) {
                next.violate(OverrideWorld.name(field) + " ends before its time");
            }
            next.node.until[field] = after;
        }
        next.node.listed = view.content.listed && keeps(Rule.EXPIRY_KEEPS_REQUESTS);
        next.written();
        steps.take(next, () -> who + " takes back " + named(view.ended));
        if (view.ofPurged) {
            OverrideWorld refused = steps.next();
            of(now, view, refused).forget();
            steps.take(refused, () -> who + " is refused because the override has changed");
        }
    }

    /** Performs the next step of an operator's command. Requests and replies may be late or lost. */
    private void command(OverrideWorld now, Steps<OverrideWorld> steps) {
        String what = now.described(now.field, now.wanted);
        if (now.late) {
            execute(now, now.command, "late, the server executes the request to " + what, steps);
        }
        switch (now.command) {
            case NONE -> {
                for (int field = 0; field < FIELDS; field++) {
                    for (int end = ABSENT; end <= scenario.ends + 1; end++) {
                        want(now, field, end, steps);
                    }
                }
            }
            case READ -> read(now, what, steps);
            case SENT -> {
                execute(now, Command.EXECUTED, "the server executes the request to " + what, steps);
                OverrideWorld lost = steps.next();
                lost.command = Command.READ;
                steps.takeFault(lost, () -> "the request to " + what + " is lost, and the operator repeats it");
                OverrideWorld late = steps.next();
                late.command = Command.READ;
                late.late = true;
                steps.takeFault(
                        late,
                        () -> "the operator gets no reply and repeats the request to " + what
                                + "; the server may still execute the first one");
            }
            case EXECUTED -> {
                OverrideWorld next = steps.next();
                next.command = Command.NONE;
                steps.take(next, () -> "the operator learns that the request to " + what + " was executed");
                OverrideWorld lost = steps.next();
                lost.command = Command.READ;
                steps.takeFault(lost, () -> "the reply is lost, and the operator repeats the request to " + what);
            }
        }
    }

    private static void want(OverrideWorld now, int field, int end, Steps<OverrideWorld> steps) {
        if (now.accepts(end)) {
            OverrideWorld next = steps.next();
            next.command = Command.READ;
            next.field = field;
            next.wanted = end;
            steps.takeFault(next, () -> "an operator wants to " + next.described(field, end));
        }
    }

    /**
     * Reads the override. Then sends a request, unless the command has already been executed, would change nothing, or
     * is too late.
     */
    private void read(OverrideWorld now, String what, Steps<OverrideWorld> steps) {
        OverrideWorld next = steps.next();
        boolean repeated = now.node.listed && keeps(Rule.OVERRIDE_REQUEST_ONCE);
        if (repeated || now.node.until[now.field] == now.wanted || !now.accepts(now.wanted)) {
            next.command = Command.NONE;
            steps.take(next, () -> "the operator reads that there is nothing to do to " + what);
        } else {
            next.command = Command.SENT;
            steps.take(next, () -> "the operator reads the override, and sends a request to " + what);
        }
    }

    /** Executes a request. The server will refuse all other requests that were decided from the same version. */
    private static void execute(OverrideWorld now, Command then, String what, Steps<OverrideWorld> steps) {
        OverrideWorld next = steps.next();
        if (now.tookEffect) {
            next.violate("one request to " + now.described(now.field, now.wanted) + " takes effect twice");
        }
        next.command = then;
        change(next, now.field, now.wanted);
        next.node.listed = true;
        next.tookEffect = true;
        steps.take(next, () -> what);
    }

    private static void change(OverrideWorld next, int field, int end) {
        next.node.until[field] = end;
        next.written();
    }

    /**
     * Executes a command of another operator in a single step. More steps are not needed, because the server refuses a
     * command that is based on an outdated version.
     */
    private static void commandOfAnother(OverrideWorld now, Steps<OverrideWorld> steps) {
        for (int i = 0; i < FIELDS; i++) {
            for (int j = ABSENT; j <= now.ends + 1; j++) {
                int field = i;
                int end = j;
                if (now.accepts(end) && now.node.until[field] != end) {
                    OverrideWorld next = steps.next();
                    change(next, field, end);
                    steps.takeFault(next, () -> "another operator lets the server " + now.described(field, end));
                }
            }
        }
    }

    /**
     * Returns true if the last possible end has passed, every field with an end has ended, and no command is under way.
     */
    @Override
    public boolean finished(OverrideWorld world) {
        Content node = world.node;
        return world.now == scenario.ends && node.ended(world.now) == 0 && world.command == Command.NONE;
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT,
                "override: %d fields, %d ends, purges %s, epoch %s",
                FIELDS,
                scenario.ends,
                scenario.purges ? "on" : "off",
                scenario.epoch ? "checked" : "unchecked");
    }
}
