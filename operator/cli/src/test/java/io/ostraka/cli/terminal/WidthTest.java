package io.ostraka.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WidthTest {
    @Test
    void wideCharactersCountTwice() {
        assertThat(Width.of("结算")).isEqualTo(4);
        assertThat(Width.cut("结算任务", 5)).isEqualTo("结算…");
        assertThat(Width.cut("abc", 3)).isEqualTo("abc");
    }
}
