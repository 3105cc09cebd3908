package io.ostraka.faults.model;

import io.ostraka.faults.model.AlarmWorld.Content;
import io.ostraka.faults.model.AlarmWorld.Entry;
import io.ostraka.faults.model.AlarmWorld.State;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Model of one kind of alarm of a job. The item's owner publishes the cause of the alarm in its digest. The digest only
 * makes the leader read the item's record. From the record, the leader decides whether an alarm begins or ends. It
 * writes the alarm to its node, sends the message to users, and then records the delivery in the node.
 *
 * <p>Users learn the beginning and the end of every alarm that was written. They may receive a message twice.
 */
final class AlarmModel implements Model<AlarmWorld> {
    /** @param episodes number of time spans in which the cause may hold */
    record Scenario(int episodes) {}

    private final Scenario scenario;
    private final Set<Rule> without;

    AlarmModel(Scenario scenario, Set<Rule> without) {
        this.scenario = scenario;
        this.without = without.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(without);
    }

    private boolean keeps(Rule rule) {
        return !without.contains(rule);
    }

    @Override
    public AlarmWorld first() {
        return new AlarmWorld(scenario.episodes);
    }

    @Override
    public void steps(AlarmWorld now, Steps<AlarmWorld> steps) {
        cause(now, steps);
        own(now, steps);
        if (!now.leads) {
            begin(now, steps);
        } else {
            AlarmWorld next = steps.next();
            next.forgetLeader();
            steps.takeFault(next, () -> "the leader dies");
            look(now, steps);
            if (now.writing) {
                write(now, steps);
            } else {
                decide(now, steps);
                deliver(now, steps);
            }
        }
        late(now, steps);
    }

    // ---- the cause and the owner

    private void cause(AlarmWorld now, Steps<AlarmWorld> steps) {
        if (now.holds) {
            AlarmWorld next = steps.next();
            next.holds = false;
            steps.takeFault(next, () -> "the cause ends");
        } else if (now.episode < scenario.episodes) {
            AlarmWorld next = steps.next();
            next.episode++;
            next.holds = true;
            steps.takeFault(next, () -> "the cause begins");
        }
    }

    private static void own(AlarmWorld now, Steps<AlarmWorld> steps) {
        int cause = now.holds ? now.episode : 0;
        if (!now.wedged && now.published != cause) {
            AlarmWorld next = steps.next();
            next.published = cause;
            steps.take(next, () -> "the owner publishes " + (cause == 0 ? "no cause" : "cause " + cause));
        }
        AlarmWorld next = steps.next();
        next.wedged = !now.wedged;
        steps.takeFault(next, () -> now.wedged ? "the owner makes progress again" : "the owner makes no progress");
    }

    // ---- the leader

    private void begin(AlarmWorld now, Steps<AlarmWorld> steps) {
        AlarmWorld next = steps.next();
        next.leads = true;
        next.seen.set(next.node);
        if (keeps(Rule.ALARM_EPOCH)) {
            next.forgetLate();
        }
        steps.take(next, () -> "an instance begins to lead and reads the node: " + now.node);
    }

    /** Reads the record, because the digest has changed or in a periodic check. */
    private void look(AlarmWorld now, Steps<AlarmWorld> steps) {
        int cause = !keeps(Rule.ALARM_FROM_RECORD) ? now.published : now.holds ? now.episode : 0;
        if (!now.causeKnown || now.cause != cause) {
            AlarmWorld next = steps.next();
            next.causeKnown = true;
            next.cause = cause;
            steps.take(next, () -> "the leader finds " + (cause == 0 ? "no cause" : "cause " + cause));
        }
    }

    /** Decides the next content of the alarms' node, and sends the write. */
    private void decide(AlarmWorld now, Steps<AlarmWorld> steps) {
        AlarmWorld next = steps.next();
        Content write = next.write;
        write.set(next.seen);
        if (next.toMark != 0) {
            Entry alarm = write.alarm(next.toMark);
            alarm.told = true;
            alarm.toldEnd |= next.marked == State.RESOLVED;
        }
        int firing = write.firing();
        if (next.causeKnown && firing != 0 && next.cause == 0) {
            change(next, firing, State.RESOLVED);
        } else if (next.causeKnown && firing == 0 && next.cause != 0) {
            change(next, next.cause, State.FIRING);
        } else if (next.causeKnown && firing != 0 && next.cause > firing && !keeps(Rule.ALARM_CONTINUES)) {
            write.alarm(firing).set(new Entry());
            change(next, next.cause, State.FIRING);
        }
        if (write.same(next.seen)) {
            next.forgetWrite();
            if (next.toMark != 0) {
                next.forgetMark();
                steps.take(next, () -> "the leader finds the message marked already");
            }
            return;
        }
        next.writing = true;
        steps.take(next, () -> "the leader sends a write");
    }

    private void change(AlarmWorld next, int episode, State state) {
        Entry alarm = next.write.alarm(episode);
        alarm.state = state;
        if (!keeps(Rule.ALARM_MARKED_LAST)) {
            alarm.told = true;
            alarm.toldEnd = state == State.RESOLVED;
        }
        if (!keeps(Rule.ALARM_WRITTEN_FIRST)) {
            receive(next, episode, state);
        }
    }

    /** Lets users receive a message about an alarm. */
    private static void receive(AlarmWorld next, int episode, State state) {
        if (state == State.FIRING) {
            if (AlarmWorld.received(next.ended, episode)) {
                next.violate("users learn again that alarm " + episode + " begins, after its end");
            }
            next.begun |= 1 << episode;
        } else {
            if (!AlarmWorld.received(next.begun, episode)) {
                next.violate("users learn the end of alarm " + episode + ", which they do not know");
            }
            next.ended |= 1 << episode;
        }
    }

    /** Lets the server execute the write now or late, or never receive it. */
    private static void write(AlarmWorld now, Steps<AlarmWorld> steps) {
        AlarmWorld next = steps.next();
        execute(next, next.write);
        next.seen.set(next.write);
        next.forgetMark();
        next.forgetWrite();
        steps.take(next, () -> "the server executes it: " + now.write);
        AlarmWorld lost = steps.next();
        lost.forgetWrite();
        lost.seen.set(lost.node);
        steps.takeFault(lost, () -> "the request is lost, and the leader reads the node again");
        AlarmWorld silent = steps.next();
        execute(silent, silent.write);
        silent.forgetWrite();
        silent.seen.set(silent.node);
        steps.takeFault(silent, () -> "the reply is lost, and the leader reads the node again: " + now.write);
        if (!now.late) {
            AlarmWorld late = steps.next();
            late.late = true;
            late.lateWrite.set(now.write);
            late.forgetLeader();
            steps.takeFault(late, () -> "the leader dies, and the server may still execute its request");
        }
    }

    private static void execute(AlarmWorld next, Content written) {
        for (int episode = 1; episode <= next.episodes; episode++) {
            Entry before = next.node.alarm(episode);
            Entry after = written.alarm(episode);
            if (before.state == State.RESOLVED && after.state == State.FIRING) {
                next.violate("alarm " + episode + " begins again after its end");
            }
            if (before.state == State.FIRING
                    && after.state == State.RESOLVED
                    && next.holds
                    && next.episode == episode) {
                next.violate("alarm " + episode + " ends while its cause lasts");
            }
            if ((after.told && !AlarmWorld.received(next.begun, episode))
                    || (after.toldEnd && !AlarmWorld.received(next.ended, episode))) {
                next.violate("a message about alarm " + episode + " is marked, and users have not received it");
            }
        }
        next.node.set(written);
    }

    /** Sends a message whose delivery is not recorded in the node, as the leader knows it. */
    private static void deliver(AlarmWorld now, Steps<AlarmWorld> steps) {
        if (now.toMark != 0) {
            return;
        }
        for (int episode = 1; episode <= now.episodes; episode++) {
            State due = now.seen.alarm(episode).due();
            if (due != State.NONE) {
                int alarm = episode;
                AlarmWorld next = steps.next();
                receive(next, episode, due);
                next.toMark = episode;
                next.marked = due;
                steps.take(next, () -> "users receive " + due + " " + alarm);
            }
        }
    }

    /** Executes a late request of a former leader. The server refuses it if another leader's term has begun. */
    private void late(AlarmWorld now, Steps<AlarmWorld> steps) {
        if (!now.late) {
            return;
        }
        AlarmWorld next = steps.next();
        execute(next, next.lateWrite);
        next.forgetLate();
        steps.take(next, () -> "late, the server executes the write of " + now.lateWrite);
    }

    /** Returns true if users know the present state of the alarm, and the end of every earlier alarm. */
    @Override
    public boolean finished(AlarmWorld world) {
        int firing = world.node.firing();
        boolean all = world.holds == (firing != 0);
        for (int episode = 1; episode <= world.episodes; episode++) {
            all &= world.node.alarm(episode).due() == State.NONE;
            all &= !AlarmWorld.received(world.begun, episode)
                    || AlarmWorld.received(world.ended, episode)
                    || episode == firing;
        }
        return all;
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "alarm: %d episodes of one cause", scenario.episodes);
    }
}
