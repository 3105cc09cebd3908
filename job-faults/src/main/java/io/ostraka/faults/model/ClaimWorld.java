package io.ostraka.faults.model;

import java.util.Arrays;

/**
 * All that the life of one item's fires is made of: the item's nodes, the sessions at the server, the instances with
 * what each knows and does, the resource that runs write to, and what became of each fire.
 *
 * <p>What could grow for ever does not stand here as a number. Instead of versions each view says whether the record is
 * still as it was seen; instead of nonces an instance knows whether the record's claim is its latest own; of tokens only
 * the order counts; a session that nothing names any more may be given out again. So faults need no budget.
 */
final class ClaimWorld extends World {
    /** How many attempts are told apart. */
    static final int ATTEMPTS = 3;
    /** A session that is none. */
    static final int NO_SESSION = 0;

    /** What became of a fire. */
    enum End {
        OPEN,
        COMPLETED,
        LEFT_OUT,
        INTERRUPTED
    }

    /** What an instance is about. The words are those of the engine's {@code HostedItem}. */
    enum Phase {
        /** The item's nodes must be read before anything else. */
        UNREAD,
        /** The record was read, the running node was not. */
        READING,
        /** Nothing is under way; what is due may be claimed. */
        READY,
        /** A claim, or a decision without a run, was sent. */
        CLAIMING,
        /** A run is under way, or has ended and is to be completed. */
        HOLDING,
        /** A completion or hand-over was sent. */
        COMPLETING,
        /** A run is under way whose item is another's. */
        FENCED
    }

    /** A request to the server. */
    enum Request {
        NONE,
        CLAIM,
        /** Ends an interrupted fire without a run. */
        SETTLE,
        COMPLETE,
        HAND_OVER
    }

    /** What has become of a request. */
    enum Answer {
        UNDER_WAY,
        HOLDS,
        REFUSED
    }

    /** Where a run's code is. */
    enum Stage {
        NONE,
        /** Begun; the resource has not seen its token. */
        STARTING,
        /** It reads and writes the resource. */
        WORKING,
        RETURNED,
        /** It returned because it was told to end. */
        GAVE_UP
    }

    /** How an unfinished fire that was read stands. */
    enum Interruption {
        NONE,
        CRASHED,
        GIVEN_UP
    }

    /** An instance of the application, through all its sessions. */
    final class Instance {
        final int index;
        boolean up;
        boolean draining;
        /** The session that it takes for its own. */
        int session;

        Phase phase = Phase.UNREAD;
        /** What it knows of the record. */
        final Ledger known = new Ledger();
        /** Whether the record is still as it is known. */
        boolean current;
        /** Whether the record's claim is this instance's latest, whether or not it knows. */
        boolean mine;
        /** The same when the record was read. */
        boolean readMine;
        /** The session of the running node, where it was read before the record. */
        int readRunning;

        Interruption interruption = Interruption.NONE;
        /** Whether a claim was sent whose outcome is not known. */
        boolean awaiting;

        Request request = Request.NONE;
        Answer answer = Answer.UNDER_WAY;
        final Ledger written = new Ledger();
        /** Whether the version that the request was decided from, or has left, is still the record's. */
        boolean writtenCurrent;

        int writtenToken;

        Stage stage = Stage.NONE;
        int fire;
        int token;
        int claimedIn;

        Instance(int index) {
            this.index = index;
        }

        void lay(Cells cells) {
            int sessions = size.allSessions() + 1;
            up = cells.flag(up);
            draining = cells.flag(draining);
            session = cells.number(session, sessions);
            phase = cells.one(phase, PHASES);
            known.lay(cells, size);
            current = cells.flag(current);
            mine = cells.flag(mine);
            readMine = cells.flag(readMine);
            readRunning = cells.number(readRunning, sessions);
            interruption = cells.one(interruption, INTERRUPTIONS);
            awaiting = cells.flag(awaiting);
            request = cells.one(request, REQUESTS);
            answer = cells.one(answer, ANSWERS);
            written.lay(cells, size);
            writtenCurrent = cells.flag(writtenCurrent);
            writtenToken = cells.number(writtenToken, size.tokens());
            stage = cells.one(stage, STAGES);
            fire = cells.number(fire, size.fires() + 1);
            token = cells.number(token, size.tokens());
            claimedIn = cells.number(claimedIn, sessions);
        }

        boolean connected() {
            return up && alive[session];
        }

        /** Whether a run of its own has not been told to the server yet. */
        boolean hasRun() {
            return stage != Stage.NONE;
        }

        boolean executing() {
            return stage == Stage.STARTING || stage == Stage.WORKING;
        }

        void forgetRun() {
            stage = Stage.NONE;
            fire = 0;
            token = 0;
            claimedIn = NO_SESSION;
        }

        void forgetRequest() {
            request = Request.NONE;
            answer = Answer.UNDER_WAY;
            written.clear();
            writtenCurrent = false;
            writtenToken = 0;
        }

        void forgetRecord() {
            known.clear();
            current = false;
            readMine = false;
            readRunning = NO_SESSION;
            interruption = Interruption.NONE;
        }

        String name() {
            return String.valueOf((char) ('A' + index));
        }
    }

    private static final Phase[] PHASES = Phase.values();
    private static final Request[] REQUESTS = Request.values();
    private static final Answer[] ANSWERS = Answer.values();
    private static final Stage[] STAGES = Stage.values();
    private static final Interruption[] INTERRUPTIONS = Interruption.values();
    private static final End[] ENDS = End.values();

    final ClaimModel.Size size;
    private final boolean outdatedCounts;

    final Ledger item = new Ledger();
    /** Token of the record's claim. */
    int itemToken;
    /** The session that holds the running node. */
    int running = NO_SESSION;

    final boolean[] alive;
    /** Whether the session's instance node is there. */
    final boolean[] registered;

    /** The largest token that the resource has been shown. */
    int fence;
    /** The largest token of a run that has begun its work. */
    int working;

    final End[] ends;
    final Instance[] instances;

    /**
     * The first state: nothing runs, no fire is decided.
     *
     * @param outdatedCounts whether what is written by outdated knowledge makes a difference
     */
    ClaimWorld(ClaimModel.Size size, boolean outdatedCounts) {
        this.size = size;
        this.outdatedCounts = outdatedCounts;
        alive = new boolean[size.allSessions() + 1];
        registered = new boolean[size.allSessions() + 1];
        ends = new End[size.fires() + 1];
        Arrays.fill(ends, End.OPEN);
        instances = new Instance[size.instances()];
        for (int i = 0; i < instances.length; i++) {
            instances[i] = new Instance(i);
        }
    }

    @Override
    void lay(Cells cells) {
        item.lay(cells, size);
        itemToken = cells.number(itemToken, size.tokens());
        running = cells.number(running, size.allSessions() + 1);
        for (int session = 1; session < alive.length; session++) {
            alive[session] = cells.flag(alive[session]);
            registered[session] = cells.flag(registered[session]);
        }
        fence = cells.number(fence, size.tokens());
        working = cells.number(working, size.tokens());
        for (int fire = 1; fire < ends.length; fire++) {
            ends[fire] = cells.one(ends[fire], ENDS);
        }
        for (Instance instance : instances) {
            instance.lay(cells);
        }
    }

    /** The record was written: what anybody else knows of it is outdated. */
    void recordWritten(Instance by) {
        for (Instance each : instances) {
            each.current = false;
            each.writtenCurrent = each == by;
        }
    }

    @Override
    void normalise() {
        new ClaimForm(this, outdatedCounts).normalise();
    }
}
