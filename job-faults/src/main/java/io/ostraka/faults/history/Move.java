package io.ostraka.faults.history;

/**
 * A write of an item's record.
 *
 * @param before what it was
 * @param next what it became
 * @param by the transaction
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

    /** The fire of the item that it is about; a trigger's fire is one whatever the incarnation. */
    String fire() {
        return item + " of fire " + next.fire() + (next.triggered() ? "" : "/" + next.incarnation);
    }

    @Override
    public String toString() {
        return before + " to " + next;
    }
}
