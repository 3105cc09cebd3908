package io.ostraka.faults.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks a recorded history against the invariants I1 to I8 of the protocol. The checker depends only on the history,
 * not on the engine or its store, so it can check the simulation as well as real processes.
 *
 * <p>In a history without {@link Event.Over}, the checker finds only forbidden events, not missing ones.
 */
public final class HistoryChecker {
    /** Largest number of events in a trail. */
    private static final int TRAIL = 12;
    /** Largest number of violations that are kept for one invariant; all violations are counted. */
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
        invariants.put(new StopsKept(), "I4");
        invariants.put(new SkipsKept(), "I4");
        invariants.put(new TriggersKept(), "triggers");
        invariants.put(new BackfillsKept(), "backfills");
        invariants.put(new SoundPlans(), "I5");
        invariants.put(new FewRequests(outOfStepPercent), "I6");
        invariants.put(new Recovers(), "I7");
        invariants.put(new GoodHealth(), "I7");
        invariants.put(new TrueDigests(), "I7");
        invariants.put(new JobsApart(), "I8");
        invariants.put(new ListenerOrder(), "listeners");
        invariants.put(new OnceListenerCalls(), "listeners");
        invariants.put(new TasksInRun(), "tasks");
        invariants.put(new PreparationsFirst(), "listeners");
        invariants.put(new PlacedAsAsked(), "I5");
        invariants.put(new PlacementKept(), "I5");
        invariants.put(new InScope(), "I5");
        invariants.put(new TrueCounts(), "meters");
        invariants.put(new OrdersKept(), "commands");
        invariants.put(new OverridesKept(), "overrides");
        invariants.put(new DefinitionsKept(), "definitions");
        invariants.put(new RecordsKeepEnds(), "history");
        invariants.put(new AlarmsKept(), "alarms");
        invariants.forEach((invariant, name) -> invariant.reportTo((what, item) -> report(name, what, item)));
    }

    /**
     * Result of a check.
     *
     * @param told first violations of each invariant, in the order of the history, without those beyond the limit
     * @param number number of violations of each broken invariant
     */
    public record Verdict(List<Violation> told, Map<String, Long> number) {
        /** Copies the violations. */
        public Verdict {
            told = List.copyOf(told);
            number = Collections.unmodifiableMap(new TreeMap<>(number));
        }
    }

    /** Returns the first violations of each invariant, in the order of the history; empty if all invariants hold. */
    public static List<Violation> check(List<Event> history) {
        return judge(history, 0).told();
    }

    /**
     * Checks a history.
     *
     * @param outOfStepPercent number of fires per hundred in the calm phase that may cost more than two transactions; 0
     *     unless the machine is busy with other work
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
            state.steps(transaction).forEach(this::see);
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

    private void report(String invariant, String what, @Nullable Item item) {
        if (number.merge(invariant, 1L, Long::sum) <= MOST) {
            violations.add(new Violation(invariant, what, trail(item)));
        }
    }

    /** Returns the latest events of the item up to the violation. */
    private List<Event> trail(@Nullable Item item) {
        Event last = history.get(position);
        List<Event> trail = new ArrayList<>(List.of(last));
        for (int i = position - 1; item != null && i >= 0 && trail.size() < TRAIL; i--) {
            if (history.get(i).concerns(item)) {
                trail.add(0, history.get(i));
            }
        }
        return trail;
    }
}
