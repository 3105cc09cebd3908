package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.operations.Role;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the text form of grants, and their patterns. */
class GrantTest {
    @Test
    void readsEveryForm() {
        assertThat(Grant.parse("ADMIN")).isEqualTo(new Grant(Role.ADMIN, "*", "*", Map.of()));
        assertThat(Grant.parse("OPERATOR orders")).isEqualTo(new Grant(Role.OPERATOR, "orders", "*", Map.of()));
        assertThat(Grant.parse(" OPERATOR   orders/settle-* "))
                .isEqualTo(new Grant(Role.OPERATOR, "orders", "settle-*", Map.of()));
        assertThat(Grant.parse("VIEWER */*")).isEqualTo(new Grant(Role.VIEWER, "*", "*", Map.of()));
        assertThat(Grant.parse("OPERATOR orders label:team=payments label:site=Den Haag = NL"))
                .isEqualTo(
                        new Grant(Role.OPERATOR, "orders", "*", Map.of("team", "payments", "site", "Den Haag = NL")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ADMIN",
                "OPERATOR orders",
                "OPERATOR orders/settle-*",
                "VIEWER */settle",
                "OPERATOR * label:team=payments",
                "OPERATOR orders label:site=Den Haag label:team=payments"
            })
    void textFormSurvivesReading(String text) {
        assertThat(Grant.parse(text).text()).isEqualTo(text);
        assertThat(Grant.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "admin",
                "ROOT",
                "ADMIN orders settle",
                "ADMIN orders/",
                "ADMIN /settle",
                "ADMIN orders/settle/x",
                "ADMIN ord[e]rs",
                "ADMIN orders/.+?",
                "ADMIN ordörs",
                "ADMIN label:team=payments",
                "ADMIN orders/settle label:team=payments",
                "ADMIN orders label:team",
                "ADMIN orders label:team=",
                "ADMIN orders label:=payments",
                "ADMIN orders label:team=a label:team=b",
                "ADMIN orders\u0000"
            })
    void refusedTextIsShownWithTheAcceptedForms(String text) {
        assertThatThrownBy(() -> Grant.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("grant '" + text.replace('\u0000', '?') + "' is not accepted")
                .hasMessageContaining("ROLE NAMESPACE/JOB")
                .hasMessageContaining("label:KEY=VALUE");
    }

    @ParameterizedTest
    @CsvSource({
        "*, settle, true",
        "**, settle, true",
        "settle, settle, true",
        "settle, settle-orders, false",
        "settle, Settle, false",
        "settle-*, settle-orders, true",
        "settle-*, settle-, true",
        "settle-*, settle, false",
        "*-orders, settle-orders, true",
        "*-orders, settle-orders-2, false",
        "s*e*s, settle-orders, true",
        "s*e*s, ss, false",
        "a*a, a, false",
        "a*a, aa, true",
        "*ab*ab, abab, true",
        "*ab*ab, ab, false",
        "s.ttle, settle, false"
    })
    void asteriskStandsForAnyCharactersAndNothingElseDoes(String pattern, String name, boolean matches) {
        assertThat(new Wildcard(pattern).matches(name)).isEqualTo(matches);
    }

    @Test
    void randomPatternsMatchLikeTheEquivalentRegularExpression() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            String pattern = text(random, "ab*");
            String name = text(random, "ab");
            boolean expected = Pattern.matches(pattern.replace("*", ".*"), name);

            assertThat(new Wildcard(pattern).matches(name))
                    .as("seed %d: '%s' and '%s'", seed, pattern, name)
                    .isEqualTo(expected);
        }
    }

    @Test
    void lengthsOfNamesAndLabelsAreBounded() {
        assertAccepted("ADMIN " + "n".repeat(128));
        assertRefused("ADMIN " + "n".repeat(129));
        assertAccepted("ADMIN orders label:" + "k".repeat(63) + "=" + "v".repeat(512));
        assertRefused("ADMIN orders label:" + "k".repeat(64) + "=v");
        assertRefused("ADMIN orders label:k=" + "v".repeat(513));
    }

    @Test
    void namesHaveLettersDigitsAndFewOtherCharacters() {
        assertAccepted("ADMIN azAZ09._-*/azAZ09._-*");
        for (char refused : "`{@[/:,+~\"'\\".toCharArray()) {
            assertRefused("ADMIN orders/a" + refused);
        }
        assertAccepted("ADMIN orders label:a-z/A_Z.09~!=x");
        assertRefused("ADMIN orders label:a b=x");
        assertRefused("ADMIN orders label:ké=x");
        assertRefused("ADMIN orders label:k\u007f=x");
        assertRefused("ADMIN orders label:k=\u0085x");
    }

    private static void assertAccepted(String text) {
        assertThat(Grant.parse(text).text()).isEqualTo(text);
    }

    private static void assertRefused(String text) {
        assertThatThrownBy(() -> Grant.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String text(Random random, String letters) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(8); length > 0; length--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }
}
