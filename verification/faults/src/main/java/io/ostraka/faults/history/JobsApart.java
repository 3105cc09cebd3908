package io.ostraka.faults.history;

import java.time.Duration;
import java.time.Instant;

/**
 * Checks I8: jobs do not disturb each other. In the calm phase, every fire starts within a few seconds of its due time,
 * regardless of the code, strategy or configuration of other jobs. No job and no fault makes the engine itself fail.
 */
final class JobsApart extends Invariant {
    private static final Duration IN_TIME = Duration.ofSeconds(4);

    @Override
    void event(Event event, State before) {
        expect(!(event instanceof Event.Defect), "the engine itself never fails", event, null);
    }

    @Override
    void move(Move move, State before) {
        Instant calm = before.calm();
        if (calm == null
                || !move.claims()
                || move.next().triggered()
                || !Recovers.isBuiltIn(move.item().job(), before)
                || Recovers.isBlocked(move.item().job(), before)) {
            return;
        }
        Instant due = move.next().fireTime();
        boolean calmly = due.isAfter(calm.plus(Recovers.MARGIN)) && move.next().attempt() == 1;
        boolean inTime = !move.by().at().isAfter(due.plus(IN_TIME));
        expect(!calmly || inTime, "a fire starts in time, not at " + move.by().at(), move, move.item());
    }
}
