package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the tokens of programs. */
class TokensTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void tokenHas256RandomBitsAndTheSettingsHoldItsDigest() {
        String token = Tokens.create();

        assertThat(token).matches("ostraka_[A-Za-z0-9_-]{43}").isNotEqualTo(Tokens.create());
        assertThat(Tokens.digest(token)).matches("sha256:[0-9a-f]{64}");
        assertThat(Tokens.digest("abc"))
                .isEqualTo("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void tokenIsFoundUntilItExpires() {
        String token = Tokens.create();
        Tokens tokens = new Tokens(List.of(
                new Tokens.Token("other", Tokens.Digest.parse(Tokens.digest(Tokens.create())), NOW, List.of()),
                new Tokens.Token("ci", Tokens.Digest.parse(Tokens.digest(token)), NOW, List.of())));

        assertThat(tokens.find(token, NOW.minusNanos(1)))
                .map(Tokens.Token::name)
                .contains("ci");
        assertThat(tokens.find(token, NOW)).isEmpty();
        assertThat(tokens.find(token + "x", NOW.minusNanos(1))).isEmpty();
        assertThat(tokens.find("", NOW.minusNanos(1))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "ostraka_secret-secret", "sha256:", "sha256:abc", "md5:ba7816bf8f01cfea414140de5dae2223"})
    void refusedDigestIsNotShown(String text) {
        assertThatThrownBy(() -> Tokens.Digest.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("digest of the token is not accepted; accepted: sha256: and the 64 hex digits of the"
                        + " token's SHA-256 digest");
    }

    @Test
    void textOfATokenShowsNoDigest() {
        String digest = Tokens.digest(Tokens.create());

        assertThat(new Tokens.Token("ci", Tokens.Digest.parse(digest), NOW, List.of()).toString())
                .contains("ci")
                .doesNotContain(digest.substring(7));
    }
}
