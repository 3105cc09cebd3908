package io.ostraka.faults.history;

import java.time.Duration;
import java.util.Objects;

/**
 * A write of an item's record.
 *
 * @param before former record
 * @param next new record
 * @param by transaction with the write
 */
record Move(Item item, WrittenRecord before, WrittenRecord next, Event.Transaction by) {
    /** Shortest time by which a new cursor is in the future if a person has set it by hand. */
    private static final Duration PLANTED = Duration.ofMinutes(30);

    /** Returns whether the write only sets the cursor of an idle item far into the future, as a person does by hand. */
    boolean plants() {
        return next.cursor.isAfter(by.at().plus(PLANTED))
                && !before.cursor.isAfter(by.at().plus(PLANTED))
                && next.state.equals("IDLE")
                && next.sameExcept(before, "cursor");
    }

    /** Returns whether an operator's command has set back a cursor that was in the future. */
    boolean setsBack() {
        return next.setBack() != null && !Objects.equals(next.setBack(), before.setBack());
    }

    boolean rewrites() {
        return next.incarnation != before.incarnation;
    }

    boolean claims() {
        return !rewrites() && next.state.equals("RUNNING") && !next.nonce.equals(before.nonce);
    }

    boolean ends() {
        return !rewrites() && before.unfinished() && !next.unfinished();
    }

    boolean handsOver() {
        return !rewrites() && before.state.equals("RUNNING") && next.state.equals("HANDED_OVER");
    }

    /**
     * Returns a text that identifies the item's fire in the new record. For a fire of a trigger, the text is the same
     * in every incarnation.
     */
    String fire() {
        return item + " of fire " + next.fire() + (next.triggered() ? "" : "/" + next.incarnation);
    }

    @Override
    public String toString() {
        return before + " to " + next;
    }
}
