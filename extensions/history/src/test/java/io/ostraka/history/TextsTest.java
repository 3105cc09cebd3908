package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextsTest {
    private final Texts texts = new Texts((job, kind, name, text) -> text);

    @Test
    void lastWordOfEachCutErrorIsRemoved() {
        assertThat(texts.storedError("settle", "the key abc… and the\npassword xy… ends"))
                .isEqualTo("the key … and the\npassword … ends");
        assertThat(texts.storedError("settle", "ab…cd…")).isEqualTo("…");
    }

    /** The time for a long word must not grow with the square of its length; this one would take hours. */
    @Test
    void longWordIsReadOnce() {
        assertThat(texts.storedError("settle", "x".repeat(4_000_000))).hasSize(Texts.LONGEST);
    }
}
