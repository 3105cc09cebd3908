package io.ostraka.faults.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks a recorded history against the invariants I1 to I8 of the protocol. It knows nothing but the history: not the
 * engine, nor the store that it ran on; so it serves a simulation and real processes alike.
 *
 * <p>A history that ends without {@link Event.Over} is checked for what must never be, not for what must come.
 */
public final class HistoryChecker {
    /** How many events a trail has at most. */
    private static final int TRAIL = 12;
    /** How many breaches of one invariant are told; all are counted. */
    private static final int MOST = 3;

    private final List<Event> history;
    private final State state = new State();
    private final Map<Invariant, String> invariants = new LinkedHashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private final Map<String, Long> number = new TreeMap<>();
    private int position;

    private HistoryChecker(List<Event> history, int outOfStepPercent) {
        this.history = history;
        invariants.put(new OneRunAtATime(), "I1");
        invariants.put(new EndsOnce(), "I2");
        invariants.put(new RunsAgain(), "I3");
        invariants.put(new EveryFireDecided(), "I4");
        invariants.put(new FiresAddUp(), "I4");
        invariants.put(new TrueReasons(), "I4");
        invariants.put(new SoundPlans(), "I5");
        invariants.put(new FewRequests(outOfStepPercent), "I6");
        invariants.put(new Recovers(), "I7");
        invariants.put(new GoodHealth(), "I7");
        invariants.put(new JobsApart(), "I8");
        invariants.put(new HeardInOrder(), "listeners");
        invariants.put(new ToldOnce(), "listeners");
        invariants.put(new TasksInRun(), "tasks");
        invariants.put(new PreparedFirst(), "listeners");
        invariants.put(new PlacedAsAsked(), "I5");
        invariants.put(new StaysPut(), "I5");
        invariants.put(new InScope(), "I5");
        invariants.put(new TrueCounts(), "meters");
        invariants.forEach((invariant, name) -> invariant.reportTo((what, item) -> accuse(name, what, item)));
    }

    /**
     * What is wrong with a history.
     *
     * @param told the first breaches of each invariant, in the order of the history's events
     * @param number how many there are of each that is broken
     */
    public record Verdict(List<Violation> told, Map<String, Long> number) {
        /** Copies. */
        public Verdict {
            told = List.copyOf(told);
            number = Collections.unmodifiableMap(new TreeMap<>(number));
        }
    }

    /** Returns the first that is wrong with a history, in the order of its events; empty when all holds. */
    public static List<Violation> check(List<Event> history) {
        return judge(history, 0).told();
    }

    /**
     * Judges a history.
     *
     * @param outOfStepPercent of a hundred fires in the calm so many may cost more than two transactions: 0 but where
     *     machines are busy with other things
     */
    public static Verdict judge(List<Event> history, int outOfStepPercent) {
        var checker = new HistoryChecker(history, outOfStepPercent);
        for (; checker.position < history.size(); checker.position++) {
            checker.see(history.get(checker.position));
        }
        return new Verdict(checker.violations, checker.number);
    }

    private void see(Event event) {
        if (event instanceof Event.Transaction transaction) {
            transaction.steps().forEach(this::see);
            return;
        }
        invariants.keySet().forEach(invariant -> invariant.event(event, state));
        if (event instanceof Event.Began began) {
            state.take(began);
        } else if (event instanceof Event.Ended ended) {
            state.take(ended);
        } else if (event instanceof Event.Calm calm) {
            state.take(calm);
        } else if (event instanceof Event.Killed killed) {
            state.take(killed);
        }
    }

    private void see(Event.Transaction step) {
        List<Move> moves = state.moves(step);
        for (Invariant invariant : invariants.keySet()) {
            invariant.transaction(step, state);
            moves.forEach(move -> invariant.move(move, state));
        }
        state.take(step, moves);
    }

    private void accuse(String invariant, String what, @Nullable Item item) {
        if (number.merge(invariant, 1L, Long::sum) <= MOST) {
            violations.add(new Violation(invariant, what, trail(item)));
        }
    }

    /** The latest events about the item, up to the breach, and the ends of sessions that they name. */
    private List<Event> trail(@Nullable Item item) {
        Event breach = history.get(position);
        List<Event> trail = new ArrayList<>(List.of(breach));
        for (int i = position - 1; item != null && i >= 0 && trail.size() < TRAIL; i--) {
            if (history.get(i).concerns(item)) {
                trail.add(0, history.get(i));
            }
        }
        return trail;
    }
}
