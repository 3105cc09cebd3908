package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the hashes of passwords. */
class PasswordsTest {
    private static final String SALT = "AAAAAAAAAAAAAAAAAAAAAA";
    private static final String HASH = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    private static char[] chars(String text) {
        return text.toCharArray();
    }

    @Tag("slow")
    @Test
    void hashOfTheCommandLineVerifiesThePasswordOnly() {
        String text = Passwords.hash(chars("correct horse battery"));
        PasswordHash hash = PasswordHash.parse(text);

        assertThat(text).matches("pbkdf2-sha256\\$600000\\$[A-Za-z0-9_-]{22}\\$[A-Za-z0-9_-]{43}");
        assertThat(hash.text()).isEqualTo(text);
        assertThat(new Passwords().verify(chars("correct horse battery"), hash, 0))
                .isTrue();
        assertThat(new Passwords().verify(chars("correct horse batterY"), hash, 0))
                .isFalse();
        assertThat(new Passwords().verify(chars(""), hash, 0)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password1234", "Passw0rd!!!!", "passwordpassword", "123456789012", "987654321098", "qwertyuiop[]",
                "qwerty123456", "aaaaaaaaaaaa", "abcdefghijkl", "admin1234567", "ostrakaostraka", "changeme2026!"
            })
    void passwordThatAttackersTryFirstIsRefused(String known) {
        assertThatThrownBy(() -> Passwords.hash(chars(known))).hasMessageContaining("attackers try");
    }

    @ParameterizedTest
    @ValueSource(strings = {"839105726483", "tr0ub4dor&3x", "correct horse", "x7391046285917", "пароль-снова"})
    void otherPasswordsAreNotKnown(String unknown) {
        assertThat(KnownPasswords.contains(chars(unknown))).isFalse();
    }

    @Test
    void saltMakesHashesOfOnePasswordDiffer() {
        Passwords cheap = new Passwords((password, salt, iterations) -> salt);

        assertThat(cheap.create(chars("correct horse battery"), 100_000).text())
                .isNotEqualTo(
                        cheap.create(chars("correct horse battery"), 100_000).text());
    }

    /** Test vector of RFC 7914, section 11. */
    @Test
    void derivesLikeTheStandard() {
        byte[] expected = HexFormat.of().parseHex("4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56");
        PasswordHash hash = new PasswordHash(80_000, "NaCl".getBytes(StandardCharsets.US_ASCII), expected);

        assertThat(new Passwords().verify(chars("Password"), hash, 0)).isTrue();
    }

    @Test
    void everyVerificationHasTheSameCost() {
        List<Integer> cost = new ArrayList<>();
        Passwords counting = new Passwords((password, salt, iterations) -> {
            cost.add(iterations);
            return new byte[PasswordHash.HASH_BYTES];
        });
        PasswordHash cheap = new PasswordHash(100_000, new byte[16], new byte[32]);
        PasswordHash dear = new PasswordHash(900_000, new byte[16], new byte[32]);

        counting.verify(chars("wrong"), null, 900_000);
        assertThat(cost.stream().mapToInt(each -> each).sum()).isEqualTo(900_000);
        cost.clear();
        counting.verify(chars("wrong"), cheap, 900_000);
        assertThat(cost.stream().mapToInt(each -> each).sum()).isEqualTo(900_000);
        cost.clear();
        counting.verify(chars("wrong"), dear, 900_000);
        assertThat(cost.stream().mapToInt(each -> each).sum()).isEqualTo(900_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 11, 1025})
    void newPasswordHasTwelveTo1024Characters(int length) {
        assertThatThrownBy(() -> Passwords.hash(chars("x".repeat(length))))
                .hasMessage("password has " + length + " characters; accepted: 12 to 1024");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hunter2-in-plain-text",
                "pbkdf2-sha256$99999$" + SALT + "$" + HASH,
                "pbkdf2-sha256$5000001$" + SALT + "$" + HASH,
                "pbkdf2-sha256$99999999999999999999$" + SALT + "$" + HASH,
                "pbkdf2-sha256$-600000$" + SALT + "$" + HASH,
                "pbkdf2-sha256$٦٠٠٠٠٠$" + SALT + "$" + HASH,
                "pbkdf2-sha1$600000$" + SALT + "$" + HASH,
                "pbkdf2-sha256$600000$AAAA$" + HASH,
                "pbkdf2-sha256$600000$" + SALT + "$AAAA",
                "pbkdf2-sha256$600000$!" + SALT + "$" + HASH,
                "pbkdf2-sha256$600000$" + SALT + "$" + HASH + "$"
            })
    void refusedHashIsNotShown(String text) {
        assertThatThrownBy(() -> PasswordHash.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100000 to 5000000 iterations")
                .satisfies(e -> assertThat(text.isEmpty() || !e.getMessage().contains(text))
                        .isTrue())
                .hasMessageNotContaining(HASH)
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void limitsOfIterationsAreAccepted() {
        assertThat(PasswordHash.parse("pbkdf2-sha256$100000$" + SALT + "$" + HASH)
                        .iterations())
                .isEqualTo(100_000);
        assertThat(PasswordHash.parse("pbkdf2-sha256$5000000$" + SALT + "$" + HASH))
                .hasToString("pbkdf2-sha256 with 5000000 iterations");
    }
}
