package io.ostraka.faults.history;

import java.util.HashSet;
import java.util.Set;

/** Checks that a process claims and runs no item before its preparations have ended. */
final class PreparationsFirst extends Invariant {
    private final Set<String> unprepared = new HashSet<>();

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Prepared prepared) {
            if (prepared.done()) {
                unprepared.remove(prepared.process());
            } else {
                unprepared.add(prepared.process());
            }
        } else if (event instanceof Event.Began began) {
            boolean ready = !unprepared.contains(began.process());
            expect(
                    ready,
                    "a process claims and runs items after its preparations",
                    began,
                    began.run().item());
        }
    }

    @Override
    void move(Move move, State before) {
        if (move.claims()) {
            boolean ready =
                    unprepared.stream().noneMatch(process -> move.next().owner().startsWith(process + "@"));
            expect(ready, "a process claims and runs items after its preparations", move, move.item());
        }
    }
}
