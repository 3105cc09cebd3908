package io.ostraka.faults.model;

/**
 * State of {@link DelayedModel}: the node of a key, which allows only one waiting run at a time; the other nodes of the
 * runs; the leader's view; and one command of an operator.
 */
final class DelayedWorld extends World {
    private static final Fate[] FATES = Fate.values();
    private static final Fire[] FIRES = Fire.values();
    private static final Sweep[] SWEEPS = Sweep.values();
    private static final Stage[] STAGES = Stage.values();

    /** True state of a run, independent of the nodes. */
    enum Fate {
        UNREQUESTED,
        WAITING,
        RELEASED,
        CANCELLED
    }

    /** Node of a run's fire. */
    enum Fire {
        NONE,
        BEGUN,
        /** The transaction that ended the fire has deleted its trigger. */
        ENDED,
        /** The fire counts as ended, but no item has run. */
        CANCELLED,
        /** The node has been deleted, long after the fire's end. */
        DELETED
    }

    /** Progress of a leader's check that the waiting run has its second node. */
    enum Sweep {
        NONE,
        /** The leader has read the second nodes. */
        LISTED,
        /** The second node of a waiting run was not among these nodes. */
        MISSING,
        /** The second node was still missing at a second read. */
        STILL_MISSING,
        /** The leader sends the request to create the second node. */
        CREATING
    }

    /** Progress of an operator's command to cancel a run. */
    enum Stage {
        NONE,
        /** The operator must read whether the run waits. */
        READ_WAITING,
        READ_TRIGGERS,
        READ_FIRE,
        SENT,
        /** The server has executed the request; the reply is under way. */
        EXECUTED
    }

    /** A run of a delayed trigger. */
    static final class Run {
        Fate fate = Fate.UNREQUESTED;
        /** True if the second node, which is named after the run, exists. */
        boolean second;

        boolean trigger;
        Fire fire = Fire.NONE;

        void lay(PackedState cells) {
            fate = cells.one(fate, FATES);
            second = cells.flag(second);
            trigger = cells.flag(trigger);
            fire = cells.one(fire, FIRES);
        }
    }

    /** View of a leader. Runs are numbered from 1; 0 means no run. */
    static final class View {
        /** The due run that the leader is about to release. */
        int due;
        /** Run whose trigger the leader must still create, in a second transaction. */
        int creating;

        Sweep sweep = Sweep.NONE;
        /** Second nodes that were read, as bits; in later stages, the run whose second node is missing. */
        int swept;

        void lay(PackedState cells, int runs) {
            due = cells.number(due, runs + 1);
            creating = cells.number(creating, runs + 1);
            sweep = cells.one(sweep, SWEEPS);
            swept = cells.number(swept, 1 << runs);
        }

        void endSweep() {
            sweep = Sweep.NONE;
            swept = 0;
        }

        boolean idle() {
            return due == 0 && creating == 0 && sweep == Sweep.NONE;
        }
    }

    private final Run[] runs;
    /** Run in the node of the key. This node always has version 0. */
    int waiting;

    final View leader = new View();
    /**
     * View of a former leader; or the view that led to a request of the leader whose reply was lost. The server may
     * still execute such a request late.
     */
    final View former = new View();

    Stage stage = Stage.NONE;
    /** Run that the operator cancels. */
    int named;
    /** Run whose cancellation got no reply. The server may still execute the request late. */
    int late;

    /** Creates the first state, in which no run is requested. */
    DelayedWorld(DelayedModel.Scenario scenario) {
        runs = new Run[scenario.runs()];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new Run();
        }
    }

    int runs() {
        return runs.length;
    }

    Run run(int number) {
        return runs[number - 1];
    }

    static String named(int run) {
        return "run " + (char) ('A' + run - 1);
    }

    /** Returns whether this run is the next one to be requested and the key is free. */
    boolean requestable(int run) {
        boolean next = run == 1 || run(run - 1).fate != Fate.UNREQUESTED;
        return waiting == 0 && next && run(run).fate == Fate.UNREQUESTED;
    }

    /** Creates both nodes of a run. */
    void request(int run) {
        run(run).fate = Fate.WAITING;
        run(run).second = true;
        waiting = run;
    }

    /** Returns the second nodes that exist, as bits. */
    int seconds() {
        int all = 0;
        for (int i = 0; i < runs.length; i++) {
            all |= runs[i].second ? 1 << i : 0;
        }
        return all;
    }

    /** Deletes both nodes of a run that is released or cancelled. */
    void delete(int run, Fate becomes) {
        if (run(run).fate != Fate.WAITING) {
            violate(named(run) + " is " + becomes + " after it was " + run(run).fate);
        } else if (waiting != run) {
            violate(named(run) + " is " + becomes + " by the deletion of the node of " + named(waiting));
        }
        run(run).fate = becomes;
        run(run).second = false;
        waiting = 0;
    }

    @Override
    void lay(PackedState cells) {
        for (Run run : runs) {
            run.lay(cells);
        }
        waiting = cells.number(waiting, runs.length + 1);
        leader.lay(cells, runs.length);
        former.lay(cells, runs.length);
        stage = cells.one(stage, STAGES);
        named = cells.number(named, runs.length + 1);
        late = cells.number(late, runs.length + 1);
    }

    @Override
    void normalise() {
        if (stage == Stage.NONE) {
            named = 0;
        }
    }
}
