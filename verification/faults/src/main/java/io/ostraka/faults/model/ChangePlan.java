package io.ostraka.faults.model;

/** A plan that is in force, or that a leader has read. */
final class ChangePlan {
    boolean closed;
    int total;
    int incarnation = 1;
    int target;
    int changeIncarnation;
    /** True if an operator has skipped the scheduled fire. The leader copies this value from the override. */
    boolean skips;

    private final boolean maySkip;

    /** Creates a plan. If {@code maySkip} is false, no operator ever skips a fire, and the state needs less memory. */
    ChangePlan(boolean maySkip) {
        this.maySkip = maySkip;
    }

    void lay(PackedState cells) {
        closed = cells.flag(closed);
        total = cells.number(total, ChangeWorld.TOTALS);
        incarnation = cells.number(incarnation, ChangeWorld.INCARNATIONS);
        target = cells.number(target, ChangeWorld.TOTALS);
        changeIncarnation = cells.number(changeIncarnation, ChangeWorld.INCARNATIONS);
        skips = cells.number(skips ? 1 : 0, maySkip ? 2 : 1) == 1;
    }

    void set(ChangePlan from) {
        closed = from.closed;
        total = from.total;
        incarnation = from.incarnation;
        target = from.target;
        changeIncarnation = from.changeIncarnation;
        skips = from.skips;
    }
}
