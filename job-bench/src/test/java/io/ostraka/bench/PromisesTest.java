package io.ostraka.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PromisesTest {
    private static Figures figures(boolean coordinates, double requestsPerFire, double requestsPerJob) {
        Figures figures = new Figures(new Entrant("some", "Some", "", coordinates));
        figures.requestsPerFire.put(10, requestsPerFire);
        figures.startUps.put(0, new Figures.StartUp(requestsPerJob, 1, 11));
        return figures;
    }

    private static final Figures OTHER = figures(true, 170, 200);

    @Test
    void countsAsPromisedAreFine() {
        assertThat(Promises.broken(List.of(figures(true, 2.5, 8.4), OTHER, figures(false, 0, 0))))
                .isEmpty();
    }

    @Test
    void aFireWithARequestMoreForEachItemIsTold() {
        assertThat(Promises.broken(List.of(figures(true, 12, 8), OTHER)))
                .singleElement()
                .asString()
                .contains("a fire of 10 items took 12.0 requests");
    }

    @Test
    void aFireThatWasNotCountedIsTold() {
        assertThat(Promises.broken(List.of(figures(true, Double.NaN, 8), OTHER)))
                .hasSize(1);
        assertThat(Promises.broken(List.of(figures(true, 0, 8), OTHER))).hasSize(1);
    }

    @Test
    void aStartThatTakesMoreIsTold() {
        assertThat(Promises.broken(List.of(figures(true, 2, 20), OTHER))).isNotEmpty();
    }

    @Test
    void anotherThatCostsNextToNothingWasNotMeasured() {
        assertThat(Promises.broken(List.of(figures(true, 2, 8), figures(true, 2, 0))))
                .singleElement()
                .asString()
                .contains("was it measured?");
    }
}
