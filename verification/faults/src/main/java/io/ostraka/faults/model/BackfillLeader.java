package io.ostraka.faults.model;

import io.ostraka.faults.model.BackfillWorld.Content;
import io.ostraka.faults.model.BackfillWorld.Definition;
import io.ostraka.faults.model.BackfillWorld.Fire;
import io.ostraka.faults.model.BackfillWorld.Seen;
import io.ostraka.faults.model.BackfillWorld.Stage;
import io.ostraka.faults.model.BackfillWorld.State;
import io.ostraka.faults.model.BackfillWorld.Version;
import io.ostraka.faults.model.BackfillWorld.View;
import io.ostraka.faults.model.Model.Steps;
import java.util.Set;

/**
 * Steps of the leader. It reads the backfill's node, the list of triggers, the progress of the fires whose triggers
 * were deleted, and the job's definition. Then it writes the node and creates triggers in one transaction. Other steps
 * may happen between any two reads, which also covers reads from a server that lags behind.
 */
final class BackfillLeader {
    private final BackfillModel.Scenario scenario;
    private final Set<Rule> without;

    BackfillLeader(BackfillModel.Scenario scenario, Set<Rule> without) {
        this.scenario = scenario;
        this.without = without;
    }

    private boolean keeps(Rule rule) {
        return !without.contains(rule);
    }

    void steps(BackfillWorld now, Steps<BackfillWorld> steps) {
        takeEpoch(now, steps);
        if (now.leader.stage == Stage.NONE) {
            begin(now, steps);
        }
        go(now, now.leader, "the leader", steps);
        go(now, now.former, scenario.epoch() ? "late, the leader" : "the former leader", steps);
    }

    /**
     * Replaces the leader with a new one that has not read anything yet. This step also stands for a leader that
     * crashes and starts again. If the scenario checks the epoch, the server refuses all further writes of the former
     * leader.
     */
    private void takeEpoch(BackfillWorld now, Steps<BackfillWorld> steps) {
        if (now.leader.stage == Stage.NONE && now.former.stage == Stage.NONE) {
            return;
        }
        BackfillWorld next = steps.next();
        if (scenario.epoch()) {
            next.former.forget();
        } else if (now.leader.stage != Stage.NONE) {
            next.former.set(now.leader);
        }
        next.leader.forget();
        steps.takeFault(next, () -> "another leader takes the epoch");
    }

    /** Begins a pass of the leader: reads the backfill's node before everything else. */
    private void begin(BackfillWorld now, Steps<BackfillWorld> steps) {
        if (!now.exists || (now.node.state == State.REMOVED && now.node.flight == 0)) {
            return;
        }
        if (keeps(Rule.NODE_BEFORE_TRIGGERS)) {
            readNode(now, Stage.NODE, steps);
        } else {
            BackfillWorld next = steps.next();
            next.leader.stage = Stage.TRIGGERS_ONLY;
            next.leader.triggers = now.triggers();
            steps.take(next, () -> "the leader lists the triggers");
        }
    }

    private static void readNode(BackfillWorld now, Stage stage, Steps<BackfillWorld> steps) {
        BackfillWorld next = steps.next();
        next.leader.stage = stage;
        next.leader.version = Version.CURRENT;
        next.leader.content.set(now.node);
        steps.take(next, () -> "the leader reads the node");
    }

    private static View of(BackfillWorld now, View view, BackfillWorld next) {
        return view == now.leader ? next.leader : next.former;
    }

    private void go(BackfillWorld now, View view, String who, Steps<BackfillWorld> steps) {
        switch (view.stage) {
            case NONE -> {}
            case TRIGGERS_ONLY -> {
                if (view == now.leader && now.exists) {
                    readNode(now, Stage.TRIGGERS, steps);
                }
            }
            case NODE -> {
                if (keeps(Rule.TRIGGERS_BEFORE_PROGRESS)) {
                    listTriggers(now, view, who, steps);
                } else if (!readProgress(now, view, view.content.flight, who, steps)) {
                    listTriggers(now, view, who, steps);
                }
            }
            case TRIGGERS -> {
                int gone = view.content.flight & ~view.triggers;
                boolean toRead = readDefinition(now, view, who, steps);
                toRead |= keeps(Rule.TRIGGERS_BEFORE_PROGRESS) && readProgress(now, view, gone, who, steps);
                if (!toRead) {
                    commit(now, view, who, steps);
                }
            }
            case UNREGISTERED -> remove(now, view, who, steps);
            case CREATING -> createApart(now, view, who, steps);
        }
    }

    /** Reads the definition, if the scenario contains purges. Returns whether it still had to be read. */
    private boolean readDefinition(BackfillWorld now, View view, String who, Steps<BackfillWorld> steps) {
        if (!scenario.purges() || view.definition != Definition.UNREAD) {
            return false;
        }
        BackfillWorld next = steps.next();
        View own = of(now, view, next);
        own.definition = view.content.purged && keeps(Rule.BACKFILL_DEFINITION) ? Definition.OTHER : Definition.SAME;
        if (now.registered) {
            steps.take(next, () -> who + " reads the definition of the job: " + own.definition);
            return true;
        }
        if (keeps(Rule.NO_DEFINITION)) {
            own.stage = Stage.UNREGISTERED;
        } else {
            own.definition = Definition.SAME;
        }
        steps.take(next, () -> who + " reads that the job is not registered");
        return true;
    }

    private static void listTriggers(BackfillWorld now, View view, String who, Steps<BackfillWorld> steps) {
        BackfillWorld next = steps.next();
        View own = of(now, view, next);
        own.stage = Stage.TRIGGERS;
        own.triggers = now.triggers();
        steps.take(next, () -> who + " lists the triggers");
    }

    /** Reads the progress of one of the given fires, in any order. Returns whether there was a fire to read. */
    private static boolean readProgress(
            BackfillWorld now, View view, int fires, String who, Steps<BackfillWorld> steps) {
        boolean any = false;
        for (int i = 0; i < now.fires.length; i++) {
            int date = i;
            if ((fires & 1 << date) == 0 || view.seen[date] != Seen.UNREAD) {
                continue;
            }
            any = true;
            BackfillWorld next = steps.next();
            of(now, view, next).seen[date] = switch (now.fires[date]) {
                case BEGUN -> Seen.UNFINISHED;
                case SUCCEEDED -> Seen.SUCCEEDED;
                case FAILED -> Seen.FAILED;
                default -> Seen.ABSENT;
            };
            steps.take(next, () -> who + " reads the progress of date " + date);
        }
        return any;
    }

    /**
     * Sends the transaction. The server executes it, refuses it, never receives it, or executes it late. In all cases
     * the leader then reads everything again, even if no reply arrives.
     */
    private void commit(BackfillWorld now, View view, String who, Steps<BackfillWorld> steps) {
        Content wanted = decide(view);
        if (wanted.same(view.content)) {
            BackfillWorld next = steps.next();
            of(now, view, next).forget();
            steps.take(next, () -> who + " has nothing to write");
            return;
        }
        if (!now.registered && keeps(Rule.BACKFILL_REGISTERED)) {
            BackfillWorld next = steps.next();
            of(now, view, next).stage = Stage.UNREGISTERED;
            steps.take(next, () -> who + " is refused because the job is not registered");
        } else {
            execute(now, view, wanted, who, steps);
        }
        if (view == now.leader) {
            loseRequest(wanted, who, steps);
        }
    }

    private void execute(BackfillWorld now, View view, Content wanted, String who, Steps<BackfillWorld> steps) {
        boolean matches = view.version == Version.CURRENT || view.version == Version.OF_DELETED;
        BackfillWorld next = steps.next();
        View own = of(now, view, next);
        if (!now.exists || (!matches && keeps(Rule.BACKFILL_VERSION))) {
            own.forget();
            steps.take(next, () -> who + " is refused because the node has changed");
            return;
        }
        int created = dates(view.content.next, wanted.next);
        count(next, view.content.flight & ~wanted.flight, view);
        haltedStays(next, wanted);
        State before = next.node.state;
        next.node.set(wanted);
        next.written();
        own.forget();
        if (keeps(Rule.TRIGGER_WITH_NODE)) {
            create(next, created, before);
            agrees(next);
        } else if (created != 0) {
            own.stage = Stage.CREATING;
            own.triggers = created;
        }
        if (wanted.state == State.ENDED) {
            endedAll(next);
        }
        steps.take(next, () -> who + " writes " + described(wanted, created));
        if (view.version == Version.OF_DELETED) {
            BackfillWorld refused = steps.next();
            of(now, view, refused).forget();
            steps.take(refused, () -> who + " is refused because the node has changed");
        }
    }

    private static String described(Content wanted, int created) {
        return "the node: " + wanted.state + ", " + wanted.next + " triggered, " + wanted.succeeded + " succeeded, "
                + wanted.failed + " failed, " + wanted.unknown + " unknown; creates "
                + Integer.bitCount(created) + " triggers";
    }

    /** Loses the request or its reply. A lost reply to an executed request has the same effect as a late execution. */
    private void loseRequest(Content wanted, String who, Steps<BackfillWorld> steps) {
        BackfillWorld late = steps.next();
        late.former.set(late.leader);
        late.leader.forget();
        steps.takeFault(late, () -> who + " gets no reply to its write, and the server may still execute it");
        BackfillWorld lost = steps.next();
        lost.leader.forget();
        if (keeps(Rule.READ_AFTER_NO_REPLY)) {
            steps.takeFault(lost, () -> "the write of " + who + " is lost");
        } else {
            lost.leader.stage = Stage.NODE;
            lost.leader.version = Version.NEXT;
            lost.leader.content.set(wanted);
            steps.takeFault(lost, () -> "the write of " + who + " is lost, and the leader takes it for executed");
        }
    }

    /** Decides the next content of the node, using the leader's view. */
    private Content decide(View view) {
        Content wanted = new Content(scenario);
        wanted.set(view.content);
        if (view.definition == Definition.OTHER && wanted.state != State.ENDED) {
            wanted.state = State.REMOVED;
        }
        if (wanted.state != State.RUNNING && !keeps(Rule.HALTED_COUNTS)) {
            return wanted;
        }
        for (int date = 0; date < scenario.dates(); date++) {
            if (!wanted.has(date) || view.listsTrigger(date)) {
                continue;
            }
            Seen seen = view.seen[date];
            if (seen == Seen.UNFINISHED || (seen == Seen.ABSENT && !keeps(Rule.UNKNOWN_OUTCOME))) {
                continue;
            }
            wanted.flight &= ~(1 << date);
            wanted.succeeded += seen == Seen.SUCCEEDED ? 1 : 0;
            wanted.failed += seen == Seen.FAILED ? 1 : 0;
            wanted.unknown += seen == Seen.ABSENT ? 1 : 0;
            wanted.failures += seen == Seen.SUCCEEDED ? 0 : 1;
        }
        if (wanted.state != State.RUNNING) {
            return wanted;
        }
        if (wanted.failures >= scenario.failures()) {
            wanted.state = State.FAILED;
            return wanted;
        }
        while (Integer.bitCount(wanted.flight) < scenario.most() && wanted.next < scenario.dates()) {
            wanted.flight |= 1 << wanted.next;
            wanted.next++;
        }
        if (wanted.flight == 0) {
            wanted.state = State.ENDED;
        }
        return wanted;
    }

    private static int dates(int from, int to) {
        return (1 << to) - (1 << from);
    }

    /**
     * Counts the outcomes of the fires that the leader removes from the node. Compares these outcomes with the true
     * ones.
     */
    private static void count(BackfillWorld next, int ended, View view) {
        for (int date = 0; date < next.fires.length; date++) {
            if ((ended & 1 << date) == 0) {
                continue;
            }
            Fire fire = next.fires[date];
            Seen seen = view.seen[date];
            boolean deleted = fire == Fire.SUCCESS_DELETED || fire == Fire.FAILURE_DELETED || fire == Fire.PURGED;
            boolean purged = fire == Fire.PURGED;
            if (fire == Fire.COUNTED) {
                next.violate("the outcome of date " + date + " is counted twice");
            } else if (fire == Fire.NEVER) {
                next.violate("date " + date + " is counted, but it was never triggered");
            } else if (fire.triggerExists()) {
                next.violate("date " + date + " is counted before its fire has ended");
            } else if (seen == Seen.ABSENT && !deleted) {
                next.violate("the outcome of date " + date + " is counted as unknown, but its progress exists");
            } else if (seen == Seen.SUCCEEDED && fire.withoutProgress() != Fire.SUCCESS_DELETED && !purged) {
                next.violate("the failed date " + date + " is counted as succeeded");
            } else if (seen == Seen.FAILED && fire.withoutProgress() != Fire.FAILURE_DELETED && !purged) {
                next.violate("the succeeded date " + date + " is counted as failed");
            }
            next.fires[date] = Fire.COUNTED;
            next.succeeded += seen == Seen.SUCCEEDED ? 1 : 0;
            next.failed += seen == Seen.FAILED ? 1 : 0;
            next.unknown += seen == Seen.ABSENT ? 1 : 0;
            next.failures += seen == Seen.SUCCEEDED ? 0 : 1;
        }
    }

    /** Creates triggers. Checks their order and their number, and that the backfill may still create them. */
    private void create(BackfillWorld next, int created, State before) {
        for (int date = 0; date < next.fires.length; date++) {
            if ((created & 1 << date) == 0) {
                continue;
            }
            if (next.fires[date] != Fire.NEVER) {
                next.violate("date " + date + " is triggered twice");
            } else if (date > 0 && next.fires[date - 1] == Fire.NEVER) {
                next.violate("date " + date + " is triggered before date " + (date - 1));
            } else if (before != State.RUNNING) {
                next.violate("date " + date + " is triggered while the backfill is " + before);
            } else if (next.failures >= scenario.failures()) {
                next.violate("date " + date + " is triggered after " + next.failures + " failures without a resume");
            } else if (!next.registered) {
                next.violate("date " + date + " is triggered while the job is not registered");
            } else if (next.node.purged) {
                next.violate("date " + date + " of a purged job is triggered in the job that was registered since");
            }
            next.fires[date] = Fire.WAITING;
        }
        if (Integer.bitCount(next.triggers()) > scenario.most()) {
            next.violate("more than " + scenario.most() + " fires are in flight");
        }
    }

    /** Creates the triggers in a separate transaction. Used only if the rule TRIGGER_WITH_NODE is left out. */
    private void createApart(BackfillWorld now, View view, String who, Steps<BackfillWorld> steps) {
        BackfillWorld next = steps.next();
        of(now, view, next).forget();
        create(next, view.triggers, now.node.state);
        steps.take(next, () -> who + " creates " + Integer.bitCount(view.triggers) + " triggers");
    }

    /** Checks that the node agrees with the triggers and the outcomes. */
    private static void agrees(BackfillWorld next) {
        Content node = next.node;
        for (int date = 0; date < next.fires.length; date++) {
            Fire fire = next.fires[date];
            boolean triggered = fire != Fire.NEVER;
            if (triggered != (date < node.next)) {
                next.violate("date " + date + (triggered ? " was" : " was not") + " triggered, but the node continues"
                        + " from date " + node.next);
            }
            if (node.has(date) != (triggered && fire != Fire.COUNTED)) {
                next.violate("date " + date + " is " + fire + ", but the node says otherwise");
            }
        }
        if (node.succeeded != next.succeeded || node.failed != next.failed || node.unknown != next.unknown) {
            next.violate("the counts in the node are not those of the outcomes");
        }
    }

    private static void haltedStays(BackfillWorld next, Content wanted) {
        if (next.node.state != State.RUNNING && wanted.state != next.node.state && wanted.state != State.REMOVED) {
            next.violate("a leader's step overwrites the state " + next.node.state + " by " + wanted.state);
        }
    }

    private static void endedAll(BackfillWorld next) {
        for (Fire fire : next.fires) {
            if (fire != Fire.COUNTED) {
                next.violate("the backfill has ended, but the fire of a date is " + fire);
            }
        }
    }

    /** Ends the backfill of a purged job. */
    private void remove(BackfillWorld now, View view, String who, Steps<BackfillWorld> steps) {
        BackfillWorld next = steps.next();
        if (!now.exists || view.version != Version.CURRENT) {
            of(now, view, next).forget();
            steps.take(next, () -> who + " is refused because the node has changed");
            return;
        }
        if (keeps(Rule.NODE_OUTLIVES_JOB)) {
            next.reset();
            next.node.state = State.REMOVED;
            next.written();
        } else {
            next.delete();
        }
        of(now, view, next).forget();
        steps.take(
                next, () -> who + (keeps(Rule.NODE_OUTLIVES_JOB) ? " marks the node as removed" : " deletes the node"));
    }
}
