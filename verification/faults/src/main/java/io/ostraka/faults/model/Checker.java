package io.ostraka.faults.model;

import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Explicit-state model checker. It visits all reachable states breadth first, so the trail that it reports for a
 * violation is one of the shortest. It then checks that every state can reach a finished state without further faults.
 */
final class Checker<W extends World> {
    /** Number of states between two progress reports. */
    private static final int REPORT = 5_000_000;

    /** Receives the progress of a long check. */
    interface Progress {
        void at(int states, int depth);
    }

    private final Model<W> model;
    private final Clock clock;
    private final Progress progress;
    /** State whose steps the checker enumerates. {@code next} is the state after one of these steps. */
    private final W now;

    private final W next;
    private final PackedState present;
    private final PackedState reached;
    private final States states;
    /** States that can reach a finished state. */
    private final BitSet finishing = new BitSet();

    private long taken;
    private int depth;

    Checker(Model<W> model, Clock clock, Progress progress) {
        this.model = model;
        this.clock = clock;
        this.progress = progress;
        now = model.first();
        next = model.first();
        present = PackedState.fitting(now);
        reached = PackedState.fitting(now);
        states = new States(present.size());
    }

    /** Receives the steps that the model enumerates for a state. */
    private abstract class Look implements Model.Steps<W> {
        @Override
        public final W next() {
            present.give(next);
            return next;
        }

        @Override
        public final void take(W led, Supplier<String> what) {
            if (!done()) {
                led.normalise();
                reached.take(led);
                took(led, what);
            }
        }

        @Override
        public void takeFault(W led, Supplier<String> what) {
            take(led, what);
        }

        abstract void took(W led, Supplier<String> what);

        /** Returns whether the remaining steps of the state do not matter. */
        boolean done() {
            return false;
        }
    }

    private void steps(int state, Look look) {
        states.read(state, present.words());
        present.give(now);
        model.steps(now, look);
    }

    Findings check() {
        long start = clock.monotonicNanos();
        String violation;
        List<String> trail;
        Violation found = reachAll();
        if (found != null) {
            violation = found.violation;
            trail = trail(found.from);
            trail.add(found.step);
        } else {
            int stuck = stuck();
            violation = stuck < 0 ? null : "I3, I4: from this state on, some fire can never end";
            trail = stuck < 0 ? List.of() : trail(stuck);
        }
        Duration time = Duration.ofNanos(clock.monotonicNanos() - start);
        return new Findings(states.size(), taken, depth, time, violation, trail);
    }

    private record Violation(int from, String step, String violation) {}

    /** Visits all states. Returns the first violation, or null if there is none. */
    private @Nullable Violation reachAll() {
        Reach reach = new Reach();
        now.normalise();
        reached.take(now);
        states.add(reached.words(), -1);
        int levelEnd = 1;
        for (int state = 0; state < states.size() && reach.violation == null; state++) {
            if (state == levelEnd) {
                depth++;
                levelEnd = states.size();
            }
            if (state > 0 && state % REPORT == 0) {
                progress.at(state, depth);
            }
            reach.state = state;
            steps(state, reach);
            if (model.finished(now)) {
                finishing.set(state);
            }
        }
        return reach.violation;
    }

    private final class Reach extends Look {
        int state;

        @Nullable Violation violation;

        @Override
        void took(W led, Supplier<String> what) {
            taken++;
            if (led.violation != null) {
                if (violation == null) {
                    violation = new Violation(state, what.get(), led.violation);
                }
            } else {
                states.add(reached.words(), state);
            }
        }
    }

    /**
     * Returns the first state that cannot reach a finished state; -1 if there is none. The checker does not store the
     * steps between states, but enumerates them again in a few passes. It begins with the latest states.
     */
    private int stuck() {
        Finish finish = new Finish();
        boolean more = true;
        while (more) {
            more = false;
            for (int state = finishing.previousClearBit(states.size() - 1);
                    state >= 0;
                    state = finishing.previousClearBit(state - 1)) {
                finish.found = false;
                steps(state, finish);
                if (finish.found) {
                    finishing.set(state);
                    more = true;
                }
            }
        }
        int first = finishing.nextClearBit(0);
        return first < states.size() ? first : -1;
    }

    private final class Finish extends Look {
        boolean found;

        @Override
        public void takeFault(W led, Supplier<String> what) {}

        @Override
        void took(W led, Supplier<String> what) {
            found = finishing.get(states.number(reached.words()));
        }

        @Override
        boolean done() {
            return found;
        }
    }

    /** Returns the steps from the first state to this one. */
    private List<String> trail(int state) {
        LinkedList<String> trail = new LinkedList<>();
        for (int to = state; states.parent(to) >= 0; to = states.parent(to)) {
            Tell tell = new Tell(to);
            steps(states.parent(to), tell);
            trail.addFirst(tell.step);
        }
        return new ArrayList<>(trail);
    }

    private final class Tell extends Look {
        private final int to;
        String step = "?";

        Tell(int to) {
            this.to = to;
        }

        @Override
        void took(W led, Supplier<String> what) {
            if (led.violation == null && states.number(reached.words()) == to) {
                step = what.get();
            }
        }

        @Override
        boolean done() {
            return !step.equals("?");
        }
    }
}
