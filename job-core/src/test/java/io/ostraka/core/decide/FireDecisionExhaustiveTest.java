package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.core.decide.ItemLife.Event;
import io.ostraka.core.decide.ItemLife.Fate;
import io.ostraka.core.decide.ItemLife.Rules;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests every order of events in an item's life up to a time limit, for every pair of policies. Orders that lead to the
 * same state are explored once. {@link ItemLife} contains the expected results.
 */
class FireDecisionExhaustiveTest {
    private static final EnumSet<Event> RUNS = EnumSet.of(Event.TICK, Event.DECIDE, Event.END);
    private static final int ALWAYS_ON_TIME = 100;
    private static final int ON_TIME_AT_ONCE = ItemLife.TICK_MILLIS;
    /** Limit of attempts. The engine itself does not limit how often a fire is handed over. */
    private static final int MAX_ATTEMPTS = 4;

    static Stream<Arguments> policies() {
        List<MisfirePolicy> misfires = List.of(
                MisfirePolicy.fireOnce(),
                MisfirePolicy.skip(),
                MisfirePolicy.fireAll(1),
                MisfirePolicy.fireAll(2),
                MisfirePolicy.fireAll(3));
        List<OverlapPolicy> overlaps = List.of(
                OverlapPolicy.skip(),
                OverlapPolicy.coalesce(),
                OverlapPolicy.queue(1),
                OverlapPolicy.queue(2),
                OverlapPolicy.queue(3));
        return misfires.stream().flatMap(misfire -> overlaps.stream().map(overlap -> Arguments.of(misfire, overlap)));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void runsAndDecisionsInAnyOrder(MisfirePolicy misfire, OverlapPolicy overlap) {
        for (int threshold : new int[] {ON_TIME_AT_ONCE, ALWAYS_ON_TIME}) {
            assertThat(fates(new Rules(misfire, overlap, true, 3, threshold, 0), 12, RUNS))
                    .contains(Fate.RAN, Fate.SKIPPED);
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void crashesAndHandoversWithOperatorChanges(MisfirePolicy misfire, OverlapPolicy overlap) {
        EnumSet<Event> events = EnumSet.copyOf(RUNS);
        events.addAll(EnumSet.of(Event.CRASH, Event.GIVE_UP, Event.DISABLE, Event.FAILOVER));

        assertThat(fates(new Rules(misfire, overlap, true, 2, ALWAYS_ON_TIME, 0), 7, events))
                .contains(Fate.RAN, Fate.INTERRUPTED, Fate.CRASHED);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void triggersPausesAndResumesInAnyOrder(MisfirePolicy misfire, OverlapPolicy overlap) {
        EnumSet<Event> events = EnumSet.copyOf(RUNS);
        events.addAll(EnumSet.of(Event.TRIGGER, Event.PAUSE));

        assertThat(fates(new Rules(misfire, overlap, true, 3, ON_TIME_AT_ONCE, 1), 8, events))
                .contains(Fate.RAN, Fate.SKIPPED);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void triggersQueueDuringCrashesAndDisabling(MisfirePolicy misfire, OverlapPolicy overlap) {
        EnumSet<Event> events = EnumSet.copyOf(RUNS);
        events.addAll(EnumSet.of(Event.TRIGGER, Event.CRASH, Event.DISABLE));

        assertThat(fates(new Rules(misfire, overlap, true, 1, ALWAYS_ON_TIME, 2), 3, events))
                .contains(Fate.RAN, Fate.SKIPPED, Fate.CRASHED);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void schedulesChangeDuringRunsAndTriggers(MisfirePolicy misfire, OverlapPolicy overlap) {
        EnumSet<Event> events = EnumSet.copyOf(RUNS);
        events.addAll(EnumSet.of(Event.RESCHEDULE, Event.TRIGGER));

        assertThat(fates(new Rules(misfire, overlap, true, 3, ON_TIME_AT_ONCE, 1), 6, events))
                .contains(Fate.RAN, Fate.SKIPPED);
    }

    /** Explores every order of events, and returns all fates that occurred. */
    private static Set<Fate> fates(Rules rules, int ticks, Set<Event> events) {
        int end = ticks * ItemLife.TICK_MILLIS;
        Set<Fate> fates = EnumSet.noneOf(Fate.class);
        Set<ItemLife.Key> seen = new HashSet<>();
        Set<ItemLife.Key> ending = new HashSet<>();
        Deque<Step> open = new ArrayDeque<>();
        // the last fire of the explored time is decided only by a later fire, so there must be later ones
        open.add(new Step(new ItemLife(rules, end / ItemLife.PERIOD_MILLIS + 2), null, null));
        while (!open.isEmpty()) {
            Step step = open.remove();
            if (step.life.now() == end) {
                step.check(life -> life.checkThatEverythingEnds(ending));
            }
            for (Event event : events) {
                if (bounded(event, step.life, end)) {
                    step.check(life -> life.after(event).ifPresent(next -> {
                        fates.addAll(next.fates());
                        if (seen.add(next.key())) {
                            open.add(new Step(next, step, event));
                        }
                    }));
                }
            }
        }
        return fates;
    }

    private static boolean bounded(Event event, ItemLife life, int end) {
        return switch (event) {
            case TICK -> life.now() < end;
            case GIVE_UP, CRASH -> life.attempt() < MAX_ATTEMPTS;
            case DECIDE, END, PAUSE, DISABLE, FAILOVER, TRIGGER, RESCHEDULE -> true;
        };
    }

    /** A life, with the step before it and the event that led to it. */
    private record Step(ItemLife life, @Nullable Step before, @Nullable Event event) {
        void check(Consumer<ItemLife> check) {
            try {
                check.accept(life);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("after " + events() + ": " + e.getMessage() + "\n" + life, e);
            }
        }

        private List<Event> events() {
            Deque<Event> events = new ArrayDeque<>();
            for (Step step = this; step.before != null; step = step.before) {
                events.addFirst(step.event);
            }
            return List.copyOf(events);
        }
    }
}
