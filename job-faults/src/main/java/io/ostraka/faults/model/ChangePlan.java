package io.ostraka.faults.model;

/** Plan, in force or as read by a leader. */
final class ChangePlan {
    boolean closed;
    int total;
    int incarnation = 1;
    int target;
    int changeIncarnation;

    void lay(PackedState cells) {
        closed = cells.flag(closed);
        total = cells.number(total, ChangeWorld.TOTALS);
        incarnation = cells.number(incarnation, ChangeWorld.INCARNATIONS);
        target = cells.number(target, ChangeWorld.TOTALS);
        changeIncarnation = cells.number(changeIncarnation, ChangeWorld.INCARNATIONS);
    }

    void set(ChangePlan from) {
        closed = from.closed;
        total = from.total;
        incarnation = from.incarnation;
        target = from.target;
        changeIncarnation = from.changeIncarnation;
    }
}
