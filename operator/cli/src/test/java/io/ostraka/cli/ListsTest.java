package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobHealth;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.ReportedReason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListsTest {
    private static final Instant NOW = Instant.parse("2026-01-31T22:00:00Z");

    private static List<ReportedReason> reasons(JobHealth.Kind... kinds) {
        return Stream.of(kinds)
                .map(kind -> new ReportedReason(new JobHealth.Reason(kind, "text", NOW), Set.of()))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "RUNNING; app-2@7@1; app-2@7@1; app-2",
                "RUNNING; app-2@7@1; app-1@5@9; app-2, runs on app-1",
                "RUNNING; app-2@7@1; app-2@7@0; app-2, runs on an earlier session",
                "RUNNING; ; app-1@5@9; runs on app-1",
                "IDLE; app-2@7@1; app-1@5@9; app-2"
            })
    void instanceThatStillRunsAnItemIsShownBesideItsOwner(
            ItemDetails.State state, String owner, String runner, String shown) {
        ItemDetails.Run run = new ItemDetails.Run(1, "run", NOW, false, 1, runner, NOW, null, null, null, null);
        ItemDetails item =
                new ItemDetails("0", state, false, owner, run, NOW, 1, List.of(), null, 0, Map.of(), 1, null);

        assertThat(Items.owner(item)).isEqualTo(shown);
    }

    @Test
    void reasonOfTheJobItselfComesBeforeReasonsOfItsInstances() {
        assertThat(Lists.problems(reasons(JobHealth.Kind.DRAINED, JobHealth.Kind.QUARANTINED_ITEMS)))
                .isEqualTo("QUARANTINED_ITEMS +1");
        assertThat(Lists.problems(reasons(JobHealth.Kind.DRAINED))).isEqualTo("DRAINED");
        assertThat(Lists.problems(List.of())).isEmpty();
    }

    @Test
    void wrongClockOfAnInstanceIsNoProblemOfItsJobs() {
        assertThat(Lists.problems(reasons(JobHealth.Kind.CLOCK_AHEAD, JobHealth.Kind.QUARANTINED_ITEMS)))
                .isEqualTo("QUARANTINED_ITEMS");
        assertThat(Lists.problems(reasons(JobHealth.Kind.CLOCK_AHEAD))).isEmpty();
    }
}
