package io.ostraka.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "settle, settle",
                "a=b, a=b",
                "=ls, '=ls'",
                "two words, 'two words'",
                "it's, 'it'\\''s'",
                "$(reboot), '$(reboot)'",
                "!!, '!!'",
                "~root, '~root'",
                "\"\", ''",
                "\"a\n'\\b\", $'a\\u000a\\'\\\\b'",
                "a\u202eb, $'a\\u202eb'",
                "\udb40\udc41, $'\\U000e0041'"
            })
    void wordMeansItselfToAShell(String word, String written) {
        assertThat(Shell.quoted(word)).isEqualTo(written);
    }

    @Test
    void positionThatLooksLikeAnOptionIsMarked() {
        List<String> begin = List.of("ostraka", "item", "list");
        assertThat(Shell.line(begin, List.of("settle", "3"), List.of("--watch")))
                .isEqualTo("ostraka item list settle 3 --watch");
        assertThat(Shell.line(begin, List.of("settle", "-3"), List.of("--watch")))
                .isEqualTo("ostraka item list --watch -- settle -3");
    }

    @Test
    void valueThatLooksLikeAnOptionIsOneWordWithIt() {
        assertThat(Shell.option("--item", "3")).containsExactly("--item", "3");
        assertThat(Shell.option("--item", "--yes")).containsExactly("--item=--yes");
    }
}
