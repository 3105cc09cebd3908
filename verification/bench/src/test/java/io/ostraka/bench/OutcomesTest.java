package io.ostraka.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutcomesTest {
    private static Outcome outcome(String title, String at, double... sizes) {
        Results results = new Results();
        for (int i = 0; i < sizes.length; i++) {
            results.add(Entrant.OSTRAKA, Plot.row("requests", "jobs", (int) Math.pow(10, i)), sizes[i]);
        }
        return new Outcome(title, at, "two cores", results, List.of(Bound.atMost("few <b>", sizes[0], 2)));
    }

    @Test
    void reportUsesLatestOutcomeOfEachScenario(@TempDir Path directory) throws IOException {
        new Outcomes(directory)
                .add(List.of(outcome("fires", "monday", 1, 2, 3), outcome("growth", "monday", 4, 5)), "small");
        Path page = new Outcomes(directory).add(List.of(outcome("fires", "tuesday", 7, 8, 9)), "small");

        assertThat(Files.readString(directory.resolve("report.md")))
                .contains("| requests | 7 |  8 |   9 |", "requests, jobs: 1 ", "| few <b>", " NO |");
        assertThat(Files.readString(page))
                .contains("tuesday: two cores", "monday: two cores", "0 of 2", "few &lt;b&gt;", "uPlot")
                .doesNotContain("{{");
    }

    @Test
    void plotsFigureOfThreeSizesWithGapsAsNotANumber() {
        Results results = outcome("growth", "monday", 4, 5, 6).results();
        results.add(Entrant.QUARTZ, Plot.row("requests", "jobs", 10), 3);
        results.add(Entrant.OSTRAKA, Plot.row("threads", "jobs", 10), 3);

        List<Plot> plots = Plot.of(results);

        assertThat(plots).singleElement().satisfies(plot -> {
            assertThat(plot.title()).isEqualTo("requests");
            assertThat(plot.sizes()).containsExactly(1, 10, 100);
            assertThat(plot.lines().get(Entrant.OSTRAKA)).containsExactly(4.0, 5.0, 6.0);
            assertThat(plot.lines().get(Entrant.QUARTZ)).containsExactly(Double.NaN, 3.0, Double.NaN);
        });
    }

    @Test
    void storesMissingMeasurements(@TempDir Path directory) throws IOException {
        new Outcomes(directory).add(List.of(outcome("fires", "monday", Double.NaN, 2, 3)), "small");
        new Outcomes(directory).add(List.of(), "small");

        assertThat(Files.readString(directory.resolve("report.md"))).contains("not measured");
        assertThat(Files.readString(directory.resolve("report.html"))).contains("[null,2.0,3.0]");
    }
}
