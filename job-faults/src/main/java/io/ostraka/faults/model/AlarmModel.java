package io.ostraka.faults.model;

import io.ostraka.faults.model.AlarmWorld.Content;
import io.ostraka.faults.model.AlarmWorld.Digest;
import io.ostraka.faults.model.AlarmWorld.Stage;
import io.ostraka.faults.model.AlarmWorld.State;
import io.ostraka.faults.model.AlarmWorld.View;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Model of one alarm of a job. The item's owner publishes the cause in its digest. The leader writes the alarm into a
 * node, delivers the message to users, and then marks the node. The leader also finds the cause in the item's record,
 * because an owner that no longer evaluates its items publishes nothing.
 *
 * <p>Users learn the beginning and the end of every alarm that was written. They may receive a message twice, but
 * always with the same id.
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
        takeEpoch(now, steps);
        lead(now, steps);
        late(now, steps);
    }

    // ---- the cause and the owner

    private void cause(AlarmWorld now, Steps<AlarmWorld> steps) {
        if (now.holds) {
            AlarmWorld next = steps.next();
            next.holds = false;
            next.moved = false;
            steps.takeFault(next, () -> "the cause ends");
        } else if (now.episode < scenario.episodes) {
            AlarmWorld next = steps.next();
            next.episode++;
            next.holds = true;
            steps.takeFault(next, () -> "the cause begins");
        }
    }

    private void own(AlarmWorld now, Steps<AlarmWorld> steps) {
        int cause = !now.holds ? 0 : keeps(Rule.ALARM_SINCE_FROM_RECORD) ? now.first() : now.renamed();
        if (!now.wedged && (now.digest != Digest.COMPLETE || now.published != cause)) {
            AlarmWorld next = steps.next();
            next.digest = Digest.COMPLETE;
            next.published = cause;
            steps.take(next, () -> "the owner publishes " + (cause == 0 ? "no cause" : "cause " + cause));
        }
        if (!now.wedged && now.digest != Digest.TRUNCATED) {
            AlarmWorld next = steps.next();
            next.digest = Digest.TRUNCATED;
            next.published = 0;
            steps.takeFault(next, () -> "the owner publishes a digest that is too large for this job");
        }
        if (!now.wedged) {
            AlarmWorld next = steps.next();
            next.wedged = true;
            steps.takeFault(next, () -> "the owner stops evaluating its items");
        }
        AlarmWorld next = steps.next();
        next.digest = Digest.MISSING;
        next.published = 0;
        next.wedged = false;
        next.moved = now.holds;
        steps.takeFault(next, () -> "the item moves to another owner");
    }

    // ---- the leader

    /** Replaces the leader with one that has not read anything yet. */
    private static void takeEpoch(AlarmWorld now, Steps<AlarmWorld> steps) {
        if (now.leader.stage != Stage.NONE) {
            AlarmWorld next = steps.next();
            next.leader.forget();
            steps.takeFault(next, () -> "another leader takes the epoch");
        }
    }

    private void lead(AlarmWorld now, Steps<AlarmWorld> steps) {
        switch (now.leader.stage) {
            case NONE -> readCause(now, steps);
            case CAUSE_READ -> readNode(steps);
            case READ -> decide(now, steps);
            case WRITING -> write(now, steps, "the leader writes ");
            case DELIVERING -> deliver(now, steps);
            case MARKING -> write(now, steps, "the leader marks ");
        }
    }

    private static void readNode(Steps<AlarmWorld> steps) {
        AlarmWorld next = steps.next();
        next.leader.node.set(next.node);
        next.leader.current = true;
        next.leader.stage = Stage.READ;
        steps.take(next, () -> "the leader reads the alarm's node");
    }

    /** Reads the digest, or the item's record. The leader knows digests from events, which may be older than the node. */
    private static void readCause(AlarmWorld now, Steps<AlarmWorld> steps) {
        AlarmWorld next = steps.next();
        next.leader.digest = now.digest;
        next.leader.cause = now.published;
        next.leader.stage = Stage.CAUSE_READ;
        steps.take(next, () -> "the leader reads the digest");
        AlarmWorld record = steps.next();
        record.leader.digest = Digest.COMPLETE;
        record.leader.cause = now.holds ? now.first() : 0;
        record.leader.fromRecord = true;
        record.leader.stage = Stage.CAUSE_READ;
        steps.take(record, () -> "the leader reads the item's record");
    }

    private void decide(AlarmWorld now, Steps<AlarmWorld> steps) {
        AlarmWorld next = steps.next();
        View view = next.leader;
        Content node = view.node;
        boolean known = view.digest == Digest.COMPLETE
                || (view.digest == Digest.TRUNCATED && !keeps(Rule.ALARM_WHOLE_DIGEST))
                || (view.digest == Digest.MISSING && !keeps(Rule.ALARM_OWNERS_DIGEST));
        boolean firing = node.state == State.FIRING;
        boolean over = firing
                && known
                && view.cause != node.id
                && (!node.byLeader || view.fromRecord || !keeps(Rule.ALARM_SAME_SOURCE));
        boolean newer = now.episodeOf(view.cause) > now.episodeOf(node.id);
        boolean begins = known && view.cause != 0 && (keeps(Rule.ALARM_NEWER) ? newer : view.cause != node.id);
        boolean replaces = firing && over && begins && !keeps(Rule.ALARM_END_FIRST);
        if (node.state != State.NONE && !node.marked) {
            view.stage = Stage.DELIVERING;
            steps.take(next, () -> "the leader finds a message to deliver: " + now.leader.node);
        } else if (over && !replaces) {
            begin(next, State.RESOLVED, node.id, node.byLeader, steps);
        } else if (replaces || (begins && !firing)) {
            begin(next, State.FIRING, view.cause, view.fromRecord, steps);
        } else {
            view.forget();
            steps.take(next, () -> "the leader finds nothing to do");
        }
    }

    private void begin(AlarmWorld next, State state, int id, boolean byLeader, Steps<AlarmWorld> steps) {
        View view = next.leader;
        view.write.set(state, id, !keeps(Rule.ALARM_MARKED_LAST), byLeader);
        view.stage = Stage.WRITING;
        if (!keeps(Rule.ALARM_WRITTEN_FIRST)) {
            receive(next, view.write);
        }
        steps.take(next, () -> "the leader decides " + state + " " + id);
    }

    private static void receive(AlarmWorld next, Content message) {
        int id = message.id;
        if (message.state == State.FIRING) {
            if (next.received(next.begun, next.twin(id))) {
                next.violate("users receive a second alarm for one cause");
            }
            next.begun |= 1 << id;
        } else {
            if (!next.received(next.begun, id)) {
                next.violate("users learn the end of alarm " + id + ", which they do not know");
            }
            next.ended |= 1 << id;
        }
    }

    /** Sends a write. The server executes it, refuses it, never receives it, or executes it late. */
    private void write(AlarmWorld now, Steps<AlarmWorld> steps, String what) {
        Content content = now.leader.write;
        boolean marks = now.leader.stage == Stage.MARKING;
        AlarmWorld next = steps.next();
        if (now.leader.current || !keeps(Rule.ALARM_VERSION)) {
            execute(next, now.leader.write);
            next.leader.node.set(content);
            next.leader.current = true;
            next.leader.write.forget();
            if (marks) {
                next.leader.forget();
            } else {
                next.leader.stage = Stage.DELIVERING;
            }
        } else {
            next.leader.forget();
        }
        steps.take(next, () -> what + content + (now.leader.current ? "" : ", after the node has changed"));
        AlarmWorld lost = steps.next();
        lost.leader.forget();
        steps.takeFault(lost, () -> "a request of the leader is lost");
        AlarmWorld late = steps.next();
        late.former.set(late.leader);
        late.leader.forget();
        steps.takeFault(late, () -> "the leader gets no reply, and the server may still execute its request");
    }

    private static void execute(AlarmWorld next, Content written) {
        boolean repeats = written.state == State.FIRING && !written.marked && next.received(next.ended, written.id);
        if (repeats) {
            next.violate("alarm " + written.id + " fires again after users have learned its end");
        } else if (written.state == State.RESOLVED && !written.marked && next.isPresent(written.id)) {
            next.violate("alarm " + written.id + " is resolved while its cause lasts");
        } else if (written.marked
                && !next.received(written.state == State.FIRING ? next.begun : next.ended, written.id)) {
            next.violate("alarm " + written.id + " is marked as " + written.state + ", and users do not know it");
        }
        next.node.set(written);
        next.leader.current = false;
        next.former.current = false;
    }

    private static void deliver(AlarmWorld now, Steps<AlarmWorld> steps) {
        AlarmWorld next = steps.next();
        View view = next.leader;
        receive(next, view.node);
        view.write.set(view.node.state, view.node.id, true, view.node.byLeader);
        view.stage = Stage.MARKING;
        steps.take(next, () -> "users receive " + now.leader.node);
        AlarmWorld failed = steps.next();
        failed.leader.forget();
        steps.takeFault(failed, () -> "the delivery fails");
    }

    /** Executes a request of the leader whose reply was lost, or of a former leader. */
    private void late(AlarmWorld now, Steps<AlarmWorld> steps) {
        if (now.former.stage == Stage.NONE) {
            return;
        }
        AlarmWorld next = steps.next();
        boolean executed = now.former.current || !keeps(Rule.ALARM_VERSION);
        if (executed) {
            execute(next, now.former.write);
        }
        next.former.forget();
        steps.take(
                next,
                () -> "late, the server " + (executed ? "executes " : "refuses ") + "the request to write "
                        + now.former.write);
    }

    /** Returns true if users know the present state of the alarm and the end of every earlier one. */
    @Override
    public boolean finished(AlarmWorld world) {
        Content node = world.node;
        boolean told = node.state == State.NONE || node.marked;
        boolean agrees =
                world.holds ? node.state == State.FIRING && world.isPresent(node.id) : node.state != State.FIRING;
        boolean all = true;
        for (int id = 1; id <= 2 * scenario.episodes; id++) {
            all &= !world.received(world.begun, id) || world.received(world.ended, id) || world.isPresent(id);
        }
        return told && agrees && all;
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "alarm: %d episodes of one cause", scenario.episodes);
    }
}
