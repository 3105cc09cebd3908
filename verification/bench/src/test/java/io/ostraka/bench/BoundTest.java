package io.ostraka.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundTest {
    private static final String FIRE = Fires.requests(10, 0);

    private static List<Bound.Verdict> promised(double own, double safe, double fast) {
        Results results = new Results();
        results.add(Entrant.OSTRAKA, FIRE, own);
        results.add(Entrant.SAFE, FIRE, safe);
        results.add(Entrant.FAST, FIRE, fast);
        return new Fires(Entrant.COMPARED, List.of(10), Duration.ofSeconds(1), List.of(0), 1)
                .promises(results).stream().map(Bound::verdict).toList();
    }

    @Test
    void acceptsPromisedCounts() {
        assertThat(promised(2.5, 170, 26)).containsOnly(Bound.Verdict.REACHED);
    }

    @Test
    void rejectsExtraRequestForEachItem() {
        assertThat(promised(12, 170, 26)).first().isEqualTo(Bound.Verdict.MISSED);
    }

    @Test
    void rejectsFireThatWasNotCounted() {
        assertThat(promised(Double.NaN, 170, 26)).contains(Bound.Verdict.NOT_MEASURED);
        assertThat(promised(0, 170, 26)).first().isEqualTo(Bound.Verdict.MISSED);
    }

    @Test
    void rejectsImplausiblyCheapOtherScheduler() {
        assertThat(promised(2, 0, 26).get(1)).isEqualTo(Bound.Verdict.MISSED);
    }

    @Test
    void boundWithoutItsReferenceFigureIsNotMet() {
        Results results = new Results();
        results.add(Entrant.OSTRAKA, Fires.delay(10, 0), 5);
        results.add(Entrant.QUARTZ, Fires.delay(10, 0), 3);
        Scenario fires = new Fires(Entrant.COMPARED, List.of(10), Duration.ofSeconds(1), List.of(0), 1);

        assertThat(fires.bounds(results).get(1).verdict()).isEqualTo(Bound.Verdict.NOT_MEASURED);

        results.add(Entrant.CURATOR, Fires.transaction(10, 0), 1);
        assertThat(fires.bounds(results).get(1).verdict()).isEqualTo(Bound.Verdict.REACHED);
    }

    @Test
    void figureOfSeveralRoundsIsTheirMedian() {
        Results results = new Results();
        for (double value : new double[] {9, 1, 2}) {
            results.add(Entrant.OSTRAKA, FIRE, value);
        }
        assertThat(results.of(Entrant.OSTRAKA, FIRE)).isEqualTo(2);
        results.add(Entrant.OSTRAKA, FIRE, 3);
        assertThat(results.of(Entrant.OSTRAKA, FIRE)).isEqualTo(2.5);
    }
}
