package io.ostraka.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.ensemble.Ensemble;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(300)
class KillScenarioTest {
    private static final PrintStream SILENT = new PrintStream(OutputStream.nullOutputStream());

    /**
     * Covers survivors that are busy when a worker crashes. If they took over its items one at a time, they would lose
     * the next fire meanwhile.
     */
    @Test
    void itemsOfKilledWorkerRunAgainOnceAndNextFireIsComplete(@TempDir Path directory) throws Exception {
        KillScenario kill = new KillScenario(new RecurringJob("busy", 12, 10, 4000), Duration.ofSeconds(2));
        try (Ensemble ensemble = Ensemble.start(directory)) {
            Site site = new Site(Participant.ostraka(), ensemble, directory, new Random(1), SILENT);

            Map<String, Measure> measures =
                    kill.run(site, 1).measures().stream().collect(Collectors.toMap(Measure::name, Function.identity()));

            assertThat(measures.get(KillScenario.RESTART).values()).hasSize(1).doesNotContain(Measure.NEVER);
            assertThat(measures.get(KillScenario.DROPPED).values()).isEqualTo(List.of(0.0));
            assertThat(measures.get(KillScenario.AGAIN).values()).isEqualTo(List.of(0.0));
        }
    }
}
