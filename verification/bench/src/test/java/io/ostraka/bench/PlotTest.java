package io.ostraka.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlotTest {
    @Test
    void plotsThreeSizesButNotTwo() {
        Results results = new Results();
        for (int items : List.of(100, 1, 10)) {
            results.add(Entrant.OSTRAKA, Fires.delay(items, 4), items);
        }
        results.add(Entrant.QUARTZ, Fires.delay(1, 4), 2);
        results.add(Entrant.OSTRAKA, Fires.delay(1, 60), 1);
        results.add(Entrant.OSTRAKA, Fires.delay(10, 60), 1);

        List<Plot> plots = Plot.of(results);

        assertThat(plots).singleElement().satisfies(plot -> {
            assertThat(plot.title()).isEqualTo("start delay p50, ms, after 4 fires");
            assertThat(plot.by()).isEqualTo("items");
            assertThat(plot.sizes()).containsExactly(1, 10, 100);
            assertThat(plot.lines().get(Entrant.OSTRAKA)).containsExactly(1.0, 10.0, 100.0);
            assertThat(plot.lines().get(Entrant.QUARTZ)).containsExactly(2.0, Double.NaN, Double.NaN);
        });
    }
}
