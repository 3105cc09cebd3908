package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void optionsHaveDefaults() {
        assertThat(Options.parse()).isEqualTo(Optional.of(new Options(OptionalInt.empty(), false, JobSet.SHOP)));
        assertThat(Options.parse("--logs", "--port", "0", "--troubles"))
                .isEqualTo(Optional.of(new Options(OptionalInt.of(0), true, JobSet.NIGHT)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--port", "--port x", "--port -1", "--port +1", "--port ١", "--port 65536", "--quiet", "8077"})
    void unknownOptionsAreNotAccepted(String arguments) {
        assertThat(Options.parse(arguments.split(" "))).isEmpty();
    }
}
