package io.ostraka.faults.model;

import io.ostraka.core.model.ItemState;

/** The record of an item: in the store, as an instance has read it, or as an instance will write it. */
final class RecordView {
    private static final ItemState[] STATES = ItemState.values();

    ItemState state = ItemState.IDLE;
    int cursor;
    int fire;
    int attempt;
    int crashes;
    int owner = ClaimWorld.NO_SESSION;

    void lay(PackedState cells, ClaimModel.Size size) {
        state = cells.one(state, STATES);
        cursor = cells.number(cursor, size.fires() + 1);
        fire = cells.number(fire, size.fires() + 1);
        attempt = cells.number(attempt, ClaimWorld.ATTEMPTS);
        crashes = cells.number(crashes, size.maxAttempts() + 1);
        owner = cells.number(owner, size.allSessions() + 1);
    }

    boolean unfinished() {
        return state == ItemState.RUNNING || state == ItemState.HANDED_OVER;
    }

    void set(RecordView from) {
        state = from.state;
        cursor = from.cursor;
        fire = from.fire;
        attempt = from.attempt;
        crashes = from.crashes;
        owner = from.owner;
    }

    void clear() {
        state = ItemState.IDLE;
        cursor = 0;
        forgetRun();
    }

    /** Clears the run, because no step reads the fields of a run after its end. */
    void forgetRun() {
        fire = 0;
        attempt = 0;
        crashes = 0;
        owner = ClaimWorld.NO_SESSION;
    }
}
