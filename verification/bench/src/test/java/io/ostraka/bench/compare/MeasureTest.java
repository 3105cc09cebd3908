package io.ostraka.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeasureTest {
    private static Measure measured(Measure measure, double... values) {
        for (double value : values) {
            measure.add(value);
        }
        return measure;
    }

    private static Measure promised() {
        return Measure.of("s").medianAtMost(2).atMost(5);
    }

    @Test
    void valuesAtTheirBoundsHold() {
        assertThat(measured(promised(), 5, 2, 1).holds()).isTrue();
        assertThat(measured(promised(), 1, 3).holds()).isTrue();
    }

    @Test
    void valueBeyondItsBoundDoesNotHold() {
        assertThat(measured(promised(), 2.1, 2.1, 1).holds()).isFalse();
        assertThat(measured(promised(), 1, 1, 5.1).holds()).isFalse();
    }

    @Test
    void missingValueDoesNotHold() {
        assertThat(measured(promised(), 1, 1, Measure.NEVER).holds()).isFalse();
        assertThat(promised().holds()).isFalse();
        assertThat(Measure.of("s").holds()).isFalse();
    }

    @Test
    void figureContainsMedianAndLargestValue() {
        assertThat(measured(promised(), 1, 2, 4).figure()).isEqualTo("2 (4)");
        assertThat(measured(promised(), 1, 1.5, Measure.NEVER).figure()).isEqualTo("1.50 (never)");
        assertThat(promised().promise()).isEqualTo("median 2, all 5");
    }
}
