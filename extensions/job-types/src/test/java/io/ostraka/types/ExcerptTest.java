package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the excerpts of text that comes from programs and servers. */
class ExcerptTest {
    private static final String SECRET = "pässw0rd";

    private final Excerpt excerpt = new Excerpt(List.of(SECRET, ""));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void showsShortTextWithoutSecrets() {
        assertThat(excerpt.end(bytes("login " + SECRET + " ok"))).isEqualTo("login [secret] ok");
        assertThat(excerpt.beginning(bytes("login " + SECRET + " ok"))).isEqualTo("login [secret] ok");
    }

    @Test
    void hidesSecretAcrossTheCut() {
        int length = excerpt.kept();
        for (int part = 0; part <= bytes(SECRET).length; part++) {
            byte[] late = bytes(SECRET + "x".repeat(length - part));
            byte[] early = bytes("x".repeat(length - part) + SECRET);

            assertThat(excerpt.end(Arrays.copyOfRange(late, late.length - length, late.length))
                            .replace("[secret]", "")
                            .chars()
                            .boxed())
                    .isNotEmpty()
                    .containsOnly((int) 'x');
            assertThat(excerpt.beginning(Arrays.copyOf(early, length))
                            .replace("[secret]", "")
                            .chars()
                            .boxed())
                    .isNotEmpty()
                    .containsOnly((int) 'x');
        }
    }

    @Test
    void removesCharactersThatForgeLogLinesOrReverseText() {
        String hostile = "a\u001b[31mb\u009b2J\u0085c\u2028d\u2029e\u202ef\u2066g\u200fh\u061ci\rj";

        assertThat(excerpt.end(bytes(hostile + "\nnext"))).isEqualTo("ab2Jcdefghij\nnext");
        assertThat(excerpt.beginning(bytes("p\u202e\u00e4ssw0rd"))).isEqualTo("[secret]");
    }

    @Test
    void showsReadablePartOfInvalidBytes() {
        assertThat(new Excerpt(List.of()).end(new byte[] {(byte) 0xff, 'a', (byte) 0xc3}))
                .isEqualTo("\ufffda\ufffd");
    }
}
