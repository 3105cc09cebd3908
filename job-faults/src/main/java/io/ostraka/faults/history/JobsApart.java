package io.ostraka.faults.history;

import java.time.Duration;
import java.time.Instant;

/**
 * I8: whatever one job's code, strategy or configuration does, the others' fires begin in time: in the calm, a few
 * seconds after they are due. And none of it, nor any fault, ever has the engine fail of itself.
 */
final class JobsApart extends Invariant {
    private static final Duration IN_TIME = Duration.ofSeconds(4);

    @Override
    void event(Event event, State before) {
        expect(!(event instanceof Event.Defect), "the engine never fails of itself", event, null);
    }

    @Override
    void move(Move move, State before) {
        Instant calm = before.calm();
        if (calm == null
                || !move.claims()
                || move.next().triggered()
                || !Recovers.isLibrarys(move.item().job(), before)
                || Recovers.holdsUp(move.item().job(), before)) {
            return;
        }
        Instant due = move.next().fireTime();
        boolean calmly = due.isAfter(calm.plus(Recovers.MARGIN)) && move.next().attempt() == 1;
        boolean inTime = !move.by().at().isAfter(due.plus(IN_TIME));
        expect(!calmly || inTime, "a fire begins in time, not at " + move.by().at(), move, move.item());
    }
}
