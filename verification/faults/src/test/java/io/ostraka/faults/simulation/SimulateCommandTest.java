package io.ostraka.faults.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SimulateCommandTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Tag("slow")
    @Test
    void replayPrintsScenarioHistoryAndFigure() {
        Scenario scenario = Scenario.of(4);

        assertThat(run("--seed", "4")).isTrue();

        assertThat(printed())
                .contains("job ", scenario.faults().get(0).toString(), "Calm[")
                .contains("simulate: seed 4, " + scenario.faults().size() + " faults, ", " 0 violations");
    }

    @Tag("slow")
    @Test
    void replayUsesOnlyTheGivenFaults() {
        assertThat(run("--seed", "4", "--faults", "1,0")).isTrue();

        assertThat(printed()).contains("simulate: seed 4, 2 faults, ");
    }

    @Test
    void printedReplayWorksForScenarioWithoutFaults() {
        List<String> again = SimulateCommand.again(Scenario.of(4).with(List.of()));

        assertThat(again).containsExactly("--seed", "4", "--faults", "none");
        assertThat(run(again.toArray(String[]::new))).isTrue();
        assertThat(printed()).contains("simulate: seed 4, 0 faults, ");
    }

    @Tag("slow")
    @Test
    void severalSeedsPrintTheirFigure() {
        assertThat(run("--seeds", "2", "--from", "7", "--threads", "1")).isTrue();

        assertThat(printed()).contains("seeds from 7, 1 at a time", "simulate: 2 schedules in ");
    }

    @Test
    void invalidOptionIsReportedWithAcceptedValues() {
        assertThatThrownBy(() -> run("--seed", "4", "--faults", "0,often"))
                .hasMessageContaining("--faults 'often'")
                .hasMessageContaining("'none'");
        assertThatThrownBy(() -> run("--seed", "4", "--faults", "1000")).hasMessageContaining("'1000'");
        assertThatThrownBy(() -> run("--seed", "four")).hasMessage("--seed 'four' is not a whole number");
        assertThatThrownBy(() -> run("--luck", "1")).hasMessage("unknown option, or option without a value: --luck");
        assertThatThrownBy(() -> run("--seeds")).hasMessage("unknown option, or option without a value: --seeds");
        assertThatThrownBy(() -> run()).hasMessageContaining("--seed, --seeds or --minutes");
    }

    private boolean run(String... arguments) {
        return new SimulateCommand().run(List.of(arguments), new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
