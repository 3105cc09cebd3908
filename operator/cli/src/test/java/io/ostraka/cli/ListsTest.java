package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.ostraka.cli.transport.Answer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListsTest {
    private static Answer json(String text) {
        return Answer.of(JsonParser.parseString(text.replace('\'', '"')));
    }

    private static List<Answer> reasons(String... kinds) {
        return Stream.of(kinds)
                .map(kind -> json("{'reason':{'kind':'" + kind + "'}}"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "RUNNING; app-2@7@1; app-2@7@1; app-2",
                "RUNNING; app-2@7@1; app-1@5@9; app-2, runs on app-1",
                "RUNNING; app-2@7@1; app-2@7@0; app-2, runs on an earlier session",
                "IDLE; app-2@7@1; app-1@5@9; app-2"
            })
    void instanceThatStillRunsAnItemIsShownBesideItsOwner(String state, String owner, String runner, String shown) {
        Answer item = json("{'state':'" + state + "','owner':'" + owner + "','run':{'runner':'" + runner + "'}}");

        assertThat(Items.owner(item)).isEqualTo(shown);
    }

    @Test
    void reasonOfTheJobItselfComesBeforeReasonsOfItsInstances() {
        assertThat(Lists.problems(reasons("DRAINED", "QUARANTINED"))).isEqualTo("QUARANTINED +1");
        assertThat(Lists.problems(reasons("DRAINED"))).isEqualTo("DRAINED");
        assertThat(Lists.problems(List.of())).isEmpty();
    }

    @Test
    void wrongClockOfAnInstanceIsNoProblemOfItsJobs() {
        assertThat(Lists.problems(reasons("CLOCK_AHEAD", "QUARANTINED"))).isEqualTo("QUARANTINED");
        assertThat(Lists.problems(reasons("CLOCK_AHEAD"))).isEmpty();
    }
}
