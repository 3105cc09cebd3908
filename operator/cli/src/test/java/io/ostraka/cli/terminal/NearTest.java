package io.ostraka.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearTest {
    @ParameterizedTest
    @CsvSource({
        "setle, settle report, settle",
        "settel, settle report, settle",
        "Settle, settle report, settle",
        "settle, settle-eu settle-us report, settle-eu settle-us",
        "report, settle, ''",
        "ab, ac xy, ''",
        "'', settle, ''"
    })
    void nearestNames(String given, String known, String near) {
        List<String> expected = near.isEmpty() ? List.of() : Arrays.asList(near.split(" "));

        assertThat(Near.names(given, Arrays.asList(known.split(" ")))).isEqualTo(expected);
    }

    @Test
    void namesOfMillionsOfCharactersAreNeverNear() {
        String huge = "settle".repeat(1_000_000);
        assertThat(Near.hint("settl", List.of(huge, "settle"))).isEqualTo("; did you mean settle?");
        assertThat(Near.hint(huge, List.of(huge + "1"))).isEmpty();
    }

    @Test
    void hintNamesTheNearestFirst() {
        assertThat(Near.hint("settle", List.of("setttle", "settle-eu", "a")))
                .isEqualTo("; did you mean settle-eu or setttle?");
        assertThat(Near.hint("settle", List.of("a"))).isEmpty();
    }
}
