package io.ostraka.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void cellOfMillionsOfCharactersIsCutWithAMark() {
        Table table = Table.of("NAME", "TEXT");
        table.add("a", "x".repeat(5_000_000));
        table.add("b", "short");
        for (boolean wide : new boolean[] {false, true}) {
            List<String> lines = table.lines(0, wide, Palette.PLAIN).lines().toList();

            assertThat(lines).hasSize(3);
            assertThat(lines.get(1)).endsWith("xxx…").hasSize("NAME  ".length() + Table.LONGEST + 1);
            assertThat(lines.get(2)).isEqualTo("b     short");
        }
    }

    /** The text of one cell widens its column in all rows, which together would fill the memory. */
    @Test
    void linesAreCreatedOneAtATime() {
        Table table = Table.of("NAME");
        table.add("early");
        Stream<String> lines = table.lines(0, true, Palette.PLAIN).lines();
        table.rows().set(0, List.of("late"));

        assertThat(lines).containsExactly("NAME", "late");
    }
}
