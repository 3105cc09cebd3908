package io.ostraka.faults.model;

import java.util.Arrays;

/**
 * State of {@link BackfillModel}: the node of a job's backfill, the fires of its dates, the leader's view, and one
 * command of an operator. A backfill that replaces another one uses new dates.
 */
final class BackfillWorld extends World {
    private static final State[] STATES = State.values();
    private static final Fire[] FIRES = Fire.values();
    private static final Stage[] STAGES = Stage.values();
    private static final Version[] VERSIONS = Version.values();
    private static final Seen[] SEEN = Seen.values();
    private static final Definition[] DEFINITIONS = Definition.values();
    private static final Command[] COMMANDS = Command.values();
    private static final Sent[] SENT = Sent.values();

    /** State in the node. */
    enum State {
        RUNNING,
        STOPPED,
        FAILED,
        ENDED,
        /** The job was purged. */
        REMOVED
    }

    /** State of the fire of one date, according to its trigger and the node with its progress. */
    enum Fire {
        /** The date has not been triggered yet. */
        NEVER,
        /** The trigger exists, but no progress. */
        WAITING,
        BEGUN,
        /** The transaction that ended the fire has deleted its trigger; the progress still exists. */
        SUCCEEDED,
        FAILED,
        /** The progress has been deleted, long after the fire's end. */
        SUCCESS_DELETED,
        FAILURE_DELETED,
        /** A purge deleted the trigger and the progress. */
        PURGED,
        /** The node has counted the outcome. */
        COUNTED;

        boolean triggerExists() {
            return this == WAITING || this == BEGUN;
        }

        Fire withoutProgress() {
            return this == SUCCEEDED ? SUCCESS_DELETED : this == FAILED ? FAILURE_DELETED : this;
        }
    }

    /** The version with which a leader or an operator has read the node, compared with the present version. */
    enum Version {
        CURRENT,
        /** One more than the present version: the version that the next write of the node produces. */
        NEXT,
        OUTDATED,
        /**
         * The node has been deleted since the read. The versions of a new node start at 0, so the new node may get the
         * same version.
         */
        OF_DELETED
    }

    /** Progress of a pass of the leader. */
    enum Stage {
        NONE,
        /** The leader has read the list of triggers before the node, which a rule forbids. */
        TRIGGERS_ONLY,
        NODE,
        TRIGGERS,
        /** The leader knows that the job is not registered. */
        UNREGISTERED,
        /** The leader has written the node, and must create the triggers in a second transaction. */
        CREATING
    }

    /** Progress of a fire as the leader has read it. */
    enum Seen {
        UNREAD,
        ABSENT,
        UNFINISHED,
        SUCCEEDED,
        FAILED
    }

    /**
     * The job's definition as a leader has read it, compared with the definition for which the backfill was requested.
     */
    enum Definition {
        UNREAD,
        SAME,
        /** The job was purged and registered again. */
        OTHER
    }

    /** Command of an operator. */
    enum Command {
        NONE,
        START,
        STOP,
        RESUME
    }

    /** Progress of an operator's request. */
    enum Sent {
        /** The operator must read the node. */
        NOTHING,
        /** The node has not changed since the operator read it. */
        CURRENT,
        /** The node has been deleted since the operator read it. */
        OF_DELETED,
        /** The server has executed the request; the reply is under way. */
        EXECUTED
    }

    /** Content of the node. */
    static final class Content {
        private final BackfillModel.Scenario scenario;

        State state = State.RUNNING;
        /** First date that has not been triggered yet. */
        int next;
        /** Dates whose fires have begun or wait to begin and are not counted yet, as bits. */
        int flight;

        int succeeded;
        int failed;
        int unknown;
        /** Failed and unknown outcomes since the start or the latest resume. */
        int failures;
        /** True if the node contains the id of the operator's present command. */
        boolean listed;
        /** True if the job has been purged since the backfill was requested. */
        boolean purged;

        Content(BackfillModel.Scenario scenario) {
            this.scenario = scenario;
        }

        void lay(PackedState cells) {
            int values = scenario.dates() + 1;
            state = cells.one(state, STATES);
            next = cells.number(next, values);
            flight = cells.number(flight, 1 << scenario.dates());
            succeeded = cells.number(succeeded, values);
            failed = cells.number(failed, values);
            unknown = cells.number(unknown, values);
            failures = cells.number(failures, values);
            listed = cells.flag(listed);
            purged = cells.flag(purged);
        }

        void set(Content from) {
            state = from.state;
            next = from.next;
            flight = from.flight;
            succeeded = from.succeeded;
            failed = from.failed;
            unknown = from.unknown;
            failures = from.failures;
            listed = from.listed;
            purged = from.purged;
        }

        boolean same(Content other) {
            return state == other.state && next == other.next && flight == other.flight;
        }

        boolean has(int date) {
            return (flight & 1 << date) != 0;
        }

        /** Returns whether an operator may replace the backfill with another one. */
        boolean replaceable() {
            return state != State.RUNNING && flight == 0;
        }
    }

    /** The data that a leader has read since the beginning of its pass. */
    static final class View {
        private final BackfillModel.Scenario scenario;
        Stage stage = Stage.NONE;
        Version version = Version.CURRENT;
        final Content content;
        /** Listed triggers, as bits; in the stage CREATING, the triggers to create. */
        int triggers;

        final Seen[] seen;
        Definition definition = Definition.UNREAD;

        View(BackfillModel.Scenario scenario) {
            this.scenario = scenario;
            content = new Content(scenario);
            seen = new Seen[scenario.dates()];
            Arrays.fill(seen, Seen.UNREAD);
        }

        void lay(PackedState cells) {
            stage = cells.one(stage, STAGES);
            version = cells.one(version, VERSIONS);
            content.lay(cells);
            triggers = cells.number(triggers, 1 << scenario.dates());
            for (int date = 0; date < seen.length; date++) {
                seen[date] = cells.one(seen[date], SEEN);
            }
            definition = cells.one(definition, DEFINITIONS);
        }

        void set(View from) {
            stage = from.stage;
            version = from.version;
            content.set(from.content);
            triggers = from.triggers;
            System.arraycopy(from.seen, 0, seen, 0, seen.length);
            definition = from.definition;
        }

        void forget() {
            set(new View(scenario));
        }

        boolean listsTrigger(int date) {
            return (triggers & 1 << date) != 0;
        }
    }

    private final BackfillModel.Scenario scenario;
    /** True if the server refuses a leader's write that was decided from an outdated version. */
    private final boolean versioned;

    boolean exists;
    final Content node;
    /** True if the job is registered. */
    boolean registered = true;

    final Fire[] fires;
    /** Number of outcomes counted as succeeded. The model keeps this number independently of the node. */
    int succeeded;

    int failed;
    int unknown;
    /** Failed and unknown outcomes since the start or the latest resume of a backfill that had halted. */
    int failures;

    final View leader;
    /**
     * View of a former leader; or the view that led to a write of the leader whose reply was lost. The server may still
     * execute such a write late.
     */
    final View former;

    Command command = Command.NONE;
    Sent sent = Sent.NOTHING;
    /** True if the command has already taken effect. */
    boolean tookEffect;
    /** True if the job has been purged since the operator read the node. */
    boolean sentBeforePurge;

    /** Creates the first state, in which there is no backfill. */
    BackfillWorld(BackfillModel.Scenario scenario, boolean versioned) {
        this.scenario = scenario;
        this.versioned = versioned;
        node = new Content(scenario);
        fires = new Fire[scenario.dates()];
        leader = new View(scenario);
        former = new View(scenario);
        reset();
    }

    /** Forgets all dates and outcomes before another backfill starts. The node keeps its list of requests. */
    void reset() {
        boolean listed = node.listed;
        node.set(new Content(scenario));
        node.listed = listed;
        Arrays.fill(fires, Fire.NEVER);
        succeeded = 0;
        failed = 0;
        unknown = 0;
        failures = 0;
    }

    /** Marks the views of leaders and operators as outdated after a write of the node. */
    void written() {
        outdate(leader);
        outdate(former);
        if (sent == Sent.CURRENT) {
            sent = Sent.NOTHING; // the server would refuse the request, so the operator reads again
        }
    }

    private static void outdate(View view) {
        if (view.version == Version.NEXT) {
            view.version = Version.CURRENT;
        } else if (view.version == Version.CURRENT) {
            view.version = Version.OUTDATED;
        }
    }

    /** Deletes the node. */
    void delete() {
        exists = false;
        node.listed = false;
        tookEffect = false; // the start was undone with the node, so it may take effect again
        reset();
        leader.version = Version.OF_DELETED;
        former.version = Version.OF_DELETED;
        if (sent == Sent.CURRENT) {
            sent = Sent.OF_DELETED;
        }
    }

    /**
     * Deletes the job's nodes and triggers, but not the node of the backfill. Before a purge, the leader writes that
     * the job is removed. When it has done so, the server has executed or refused every write that the leader decided
     * while the job existed.
     */
    void purge() {
        registered = false;
        node.purged = exists;
        for (int date = 0; date < fires.length; date++) {
            Fire fire = fires[date];
            fires[date] = fire.triggerExists() ? Fire.PURGED : fire.withoutProgress();
        }
        for (View view : new View[] {leader, former}) {
            if (view.definition == Definition.SAME && (view == leader || scenario.epoch())) {
                view.forget();
            }
            view.content.purged = view.stage != Stage.NONE;
        }
        sentBeforePurge = sent == Sent.CURRENT;
    }

    /** Returns the triggers that exist, as bits. */
    int triggers() {
        int all = 0;
        for (int date = 0; date < fires.length; date++) {
            all |= fires[date].triggerExists() ? 1 << date : 0;
        }
        return all;
    }

    @Override
    void lay(PackedState cells) {
        int values = scenario.dates() + 1;
        exists = cells.flag(exists);
        node.lay(cells);
        registered = cells.flag(registered);
        for (int date = 0; date < fires.length; date++) {
            fires[date] = cells.one(fires[date], FIRES);
        }
        succeeded = cells.number(succeeded, values);
        failed = cells.number(failed, values);
        unknown = cells.number(unknown, values);
        failures = cells.number(failures, values);
        leader.lay(cells);
        former.lay(cells);
        command = cells.one(command, COMMANDS);
        sent = cells.one(sent, SENT);
        tookEffect = cells.flag(tookEffect);
        sentBeforePurge = cells.flag(sentBeforePurge);
    }

    @Override
    void normalise() {
        normalise(leader);
        normalise(former);
        if (command == Command.NONE) {
            sent = Sent.NOTHING;
            tookEffect = false;
            node.listed = false;
        }
        sentBeforePurge &= sent == Sent.CURRENT;
        takeList(leader);
        takeList(former);
    }

    /**
     * Clears {@code listed} in a view if there is no command. The next command will have a new id, which no node
     * contains yet.
     */
    private void takeList(View view) {
        view.content.listed &= command != Command.NONE;
    }

    /** Clears a view from which no decided write could succeed, because the server would refuse it. */
    private void normalise(View view) {
        boolean unversioned = view.stage == Stage.TRIGGERS_ONLY || view.stage == Stage.CREATING;
        boolean refused = versioned && view.version == Version.OUTDATED && !unversioned;
        if (view.stage == Stage.NONE || refused) {
            view.forget();
        }
    }
}
