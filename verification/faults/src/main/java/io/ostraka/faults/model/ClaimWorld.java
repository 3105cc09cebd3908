package io.ostraka.faults.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * State of {@link ClaimModel}: the item's nodes, the sessions at the server, the instances with their views and runs,
 * the resource that runs write to, and the result of each fire.
 *
 * <p>The model has no unbounded numbers. Each view has a flag "still current" instead of a version. Each instance has a
 * flag "the record contains my latest claim" instead of a nonce. Only the order of tokens counts, and unused session
 * ids are used again. Therefore the number of faults needs no limit.
 */
final class ClaimWorld extends World {
    /** Number of attempts that the model distinguishes. */
    static final int ATTEMPTS = 3;
    /** Value that stands for no session. */
    static final int NO_SESSION = 0;

    /** Result of a fire. */
    enum End {
        OPEN,
        COMPLETED,
        SKIPPED,
        INTERRUPTED
    }

    /** Phase of an instance, in the terms of the engine's {@code HostedItem}. */
    enum Phase {
        /** The instance must read the item's nodes before its next step. */
        UNREAD,
        /** The instance has read the record, but not the running node. */
        READING,
        /** The instance runs nothing and may claim a due fire. */
        READY,
        /** The instance has sent a claim, or a decision without a run. */
        CLAIMING,
        /** A run executes, or has ended but is not recorded as completed yet. */
        HOLDING,
        /** The instance has sent a completion or a hand-over. */
        COMPLETING,
        /** A run still executes, but another instance has claimed the item. */
        FENCED
    }

    /** Request to the server. */
    enum Request {
        NONE,
        CLAIM,
        /** Ends an interrupted fire without a run. */
        SETTLE,
        /** Ends a stopped fire that was interrupted or given up. */
        CANCEL,
        COMPLETE,
        HAND_OVER
    }

    /** Result of a request. */
    enum Answer {
        UNDER_WAY,
        HOLDS,
        REFUSED
    }

    /** Progress of a run's code. */
    enum Stage {
        NONE,
        /** The code has started; the resource has not seen its token. */
        STARTING,
        /** The code reads and writes the resource. */
        WORKING,
        RETURNED,
        /** The code returned because it was stopped. */
        GAVE_UP
    }

    /** Reason why an unfinished fire counts as interrupted, as an instance has read it. */
    enum Interruption {
        NONE,
        CRASHED,
        GIVEN_UP
    }

    /** Instance of the application, with all its sessions. */
    final class Instance {
        final int index;
        boolean up;
        boolean draining;
        /** Session that the instance believes to be open. */
        int session;

        Phase phase = Phase.UNREAD;
        /** View of the record. */
        final RecordView known = new RecordView();
        /** True if the record has not changed since the instance read it. */
        boolean current;
        /** True if the record contains the latest claim of this instance, even if the instance does not know it. */
        boolean mine;
        /** Value of {@link #mine} when the record was read. */
        boolean readMine;
        /** Session of the running node, if the instance read this node before the record. */
        int readRunning;

        Interruption interruption = Interruption.NONE;
        /** True if the instance does not know the result of a claim. */
        boolean awaiting;
        /** For each fire, true if the instance has read that the fire is stopped. */
        final boolean[] knowsStop = new boolean[size.fires() + 1];

        Request request = Request.NONE;
        Answer answer = Answer.UNDER_WAY;
        final RecordView written = new RecordView();
        /**
         * True if the server's version check of the request would succeed: no other write of the record has happened
         * since the instance read it. After the request is executed, true until the next other write.
         */
        boolean writtenCurrent;

        int writtenToken;

        Stage stage = Stage.NONE;
        int fire;
        int token;
        int claimedIn;

        Instance(int index) {
            this.index = index;
        }

        void lay(PackedState cells) {
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
            layStops(cells, knowsStop);
        }

        boolean connected() {
            return up && alive[session];
        }

        /** Returns whether the instance has a run without a recorded end. */
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

    final RecordView item = new RecordView();
    /** Token of the claim in the record. */
    int itemToken;
    /** Session that owns the running node. */
    int running = NO_SESSION;

    final boolean[] alive;
    /** For each session, true if it has an instance node. */
    final boolean[] registered;

    /** Largest token that the resource has seen. */
    int fence;
    /** Largest token of all runs that have begun their work. */
    int working;

    final End[] ends;
    /** For each fire, true if it is undecided and an operator has stopped it. */
    final boolean[] stopped;

    final Instance[] instances;

    /**
     * Creates the first state, in which nothing runs and no fire is decided.
     *
     * @param outdatedCounts true if writes based on outdated views can succeed
     */
    ClaimWorld(ClaimModel.Size size, boolean outdatedCounts) {
        this.size = size;
        this.outdatedCounts = outdatedCounts;
        alive = new boolean[size.allSessions() + 1];
        registered = new boolean[size.allSessions() + 1];
        ends = new End[size.fires() + 1];
        Arrays.fill(ends, End.OPEN);
        stopped = new boolean[size.fires() + 1];
        instances = new Instance[size.instances()];
        for (int i = 0; i < instances.length; i++) {
            instances[i] = new Instance(i);
        }
    }

    @Override
    void lay(PackedState cells) {
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
        layStops(cells, stopped);
        for (Instance instance : instances) {
            instance.lay(cells);
        }
    }

    private void layStops(PackedState cells, boolean[] stops) {
        if (size.stops()) {
            for (int fire = 1; fire < stops.length; fire++) {
                stops[fire] = cells.flag(stops[fire]);
            }
        }
    }

    /**
     * Marks the views of all other instances as outdated after a write of the record.
     *
     * @param by the writing instance; null if an operator wrote the record
     */
    void recordWritten(@Nullable Instance by) {
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
