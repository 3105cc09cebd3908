package io.ostraka.api.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandOptionsTest {
    @Test
    void namesAndReasonsOfAllScriptsAreAccepted() {
        assertThat(CommandOptions.by("Zoë 王 😀")
                        .because("می\u200cخواهم 👩\u200d💻")
                        .reason())
                .endsWith("💻");
    }

    /** A reader of a log cannot see these characters, so a name with them could look like that of another person. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "an\nn",
                "an\u0000n",
                "\u202enna",
                "an\u200bn",
                "an\ufeffn",
                "an\u2028n",
                "an\ud83d",
                "\udb40\udc41"
            })
    void actorWithInvisibleCharacterIsRefused(String actor) {
        assertThatThrownBy(() -> CommandOptions.by(actor))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("actor has " + actor.length() + " characters; accepted: 1 to 128, none of them a control"
                        + " character, an invisible character or half a surrogate pair");
    }

    @ParameterizedTest
    @ValueSource(strings = {"two\nlines", "two\u2028lines", "half \ud83d"})
    void reasonOfSeveralLinesIsRefused(String reason) {
        assertThatThrownBy(() -> CommandOptions.by("ann").because(reason))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("reason has " + reason.length() + " characters; accepted: 0 to 500");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a/b", "é", "a\u202eb", "a\nb", "٥"})
    void otherRequestIdIsRefused(String id) {
        assertThatThrownBy(() -> CommandOptions.by("ann").withRequestId(id))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("requestId is '" + id.replaceAll("[\u202e\n]", "?")
                        + "'; accepted: 1 to 128 letters, digits and . _ @ -");
    }

    @Test
    void longRequestIdIsRefused() {
        CommandOptions.by("ann").withRequestId("a".repeat(128));
        assertThatThrownBy(() -> CommandOptions.by("ann").withRequestId("a".repeat(129)))
                .hasMessageContaining("aaa…'; accepted");
    }
}
