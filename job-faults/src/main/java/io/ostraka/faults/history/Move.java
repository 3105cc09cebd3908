package io.ostraka.faults.history;

/**
 * Write of an item's record.
 *
 * @param before former record
 * @param next new record
 * @param by transaction with the write
 */
record Move(Item item, WrittenRecord before, WrittenRecord next, Event.Transaction by) {
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

    /** Returns the item's fire in the new record; a trigger's fire is the same in every incarnation. */
    String fire() {
        return item + " of fire " + next.fire() + (next.triggered() ? "" : "/" + next.incarnation);
    }

    @Override
    public String toString() {
        return before + " to " + next;
    }
}
