package io.ostraka.faults.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.time.SystemClock;
import org.junit.jupiter.api.Test;

class CheckerTest {
    private static final int LARGEST = 99_999;

    /** Counter that grows by one, by three or not at all. Its forbidden value and its dead end are configurable. */
    private static final class Counter extends World {
        int value;
        int forbidden;
        int dead;

        Counter(int forbidden, int dead) {
            this.forbidden = forbidden;
            this.dead = dead;
        }

        @Override
        void lay(PackedState cells) {
            value = cells.number(value, LARGEST + 1);
        }
    }

    private record Counting(int forbidden, int dead, boolean onlyByFault) implements Model<Counter> {
        @Override
        public Counter first() {
            return new Counter(forbidden, dead);
        }

        @Override
        public void steps(Counter now, Steps<Counter> steps) {
            for (int by : new int[] {0, 3, 1}) {
                if (now.value + by <= LARGEST && now.value != dead) {
                    Counter next = steps.next();
                    next.value += by;
                    if (next.value == forbidden) {
                        next.violate("reached " + forbidden);
                    }
                    if (onlyByFault && next.value == LARGEST) {
                        steps.takeFault(next, () -> "plus " + by);
                    } else {
                        steps.take(next, () -> "plus " + by);
                    }
                }
            }
        }

        @Override
        public boolean finished(Counter world) {
            return world.value == LARGEST;
        }

        @Override
        public String title() {
            return "counting";
        }
    }

    @Test
    void visitsEveryStateOnce() {
        Findings findings = check(new Counting(-1, -1, false));

        assertThat(findings.violation()).isNull();
        assertThat(findings.states()).isEqualTo(LARGEST + 1);
        assertThat(findings.depth()).isEqualTo(LARGEST / 3 + 1);
    }

    @Test
    void findsAShortestTrailToAViolation() {
        Findings findings = check(new Counting(7, -1, false));

        assertThat(findings.violation()).isEqualTo("reached 7");
        assertThat(findings.trail()).containsExactlyInAnyOrder("plus 3", "plus 3", "plus 1");
    }

    @Test
    void findsAStateWithoutAWayOut() {
        Findings findings = check(new Counting(-1, 6, false));

        assertThat(findings.violation()).startsWith("I3, I4");
        assertThat(findings.trail()).containsExactly("plus 3", "plus 3");
    }

    @Test
    void endReachedOnlyByFaultsDoesNotCount() {
        Findings findings = check(new Counting(-1, -1, true));

        assertThat(findings.violation()).startsWith("I3, I4");
        assertThat(findings.trail()).isEmpty();
    }

    private static Findings check(Counting model) {
        return new Checker<>(model, new SystemClock(), (states, depth) -> {}).check();
    }
}
