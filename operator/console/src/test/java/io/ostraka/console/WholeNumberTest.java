package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WholeNumberTest {
    @Test
    void digitsAreRead() {
        assertThat(WholeNumber.read("0", 0, 5)).isZero();
        assertThat(WholeNumber.read("005", 0, 5)).isEqualTo(5);
        assertThat(WholeNumber.read("9223372036854775807", 0, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " 1", "1 ", "+1", "-1", "1.0", "1e0", "0x1", "٥", "１", "1\n", "6", "9223372036854775808", "x"
            })
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> WholeNumber.read(text, 0, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is '" + text + "'; accepted: 0 to 5, in the digits 0 to 9");
    }
}
