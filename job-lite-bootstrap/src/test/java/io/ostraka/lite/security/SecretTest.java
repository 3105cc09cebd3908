package io.ostraka.lite.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ostraka.api.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretTest {
    @TempDir
    Path directory;

    @Test
    void readsFileEachTimeWithoutTrailingLineEnd() throws IOException {
        Path file = directory.resolve("password");
        Secret secret = Secret.of("${file:" + file + "}");

        Files.writeString(file, "first\n");
        assertThat(secret.read()).containsExactly("first".toCharArray());
        Files.writeString(file, "se cond ");
        assertThat(secret.read()).containsExactly("se cond ".toCharArray());
        assertThat(secret).hasToString("${file:" + file + "}");
    }

    @Test
    void readsEnvironmentVariable() {
        Map.Entry<String, String> any = System.getenv().entrySet().iterator().next();

        assertThat(Secret.of("${env:" + any.getKey() + "}").read())
                .containsExactly(any.getValue().toCharArray());
    }

    @ParameterizedTest
    @ValueSource(strings = {"${env:NO_SUCH_VARIABLE}", "${file:/no/such/file}", "${file:}", "${file:\0}"})
    void namesMissingReference(String reference) {
        assertThatIllegalStateException()
                .isThrownBy(() -> Secret.of(reference).read())
                .withMessageContaining(reference);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hunter2", "${hunter2}", "$env:hunter2", "${env:hunter2"})
    void rejectsPlainSecretWithoutRepeatingIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Secret.of(text))
                .withMessageContainingAll("${env:NAME}", "${file:PATH}")
                .withMessageNotContaining("hunter2");
    }
}
