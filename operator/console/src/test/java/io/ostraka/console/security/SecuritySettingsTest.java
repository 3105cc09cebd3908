package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that settings with a mistake are refused in words and without secrets. */
class SecuritySettingsTest {
    private static final String HASH =
            "pbkdf2-sha256$600000$AAAAAAAAAAAAAAAAAAAAAA$" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    private static final String DIGEST = Tokens.digest("x");
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final List<Grant> VIEWER = List.of(Grant.parse("VIEWER"));

    private final SecuritySettings.Builder builder = SecuritySettings.newBuilder();

    private TrustedProxy proxy(String user, String groups, String secret) {
        return new TrustedProxy(user, groups, secret, Map.of(), Map.of());
    }

    @Test
    void defaultsNameNoCaller() {
        assertThat(builder.build().hasCallers()).isFalse();
        assertThat(builder.build().sessionIdle()).isEqualTo(Duration.ofMinutes(30));
        assertThat(builder.build().sessionLength()).isEqualTo(Duration.ofHours(12));
    }

    @Test
    void userTokenAndProxyAreCallers() {
        assertThat(SecuritySettings.newBuilder()
                        .user("ann", HASH, VIEWER)
                        .build()
                        .hasCallers())
                .isTrue();
        assertThat(SecuritySettings.newBuilder()
                        .token("ci", DIGEST, Instant.EPOCH, VIEWER)
                        .build()
                        .hasCallers())
                .isTrue();
        assertThat(SecuritySettings.newBuilder()
                        .proxy(proxy("X-User", null, SECRET))
                        .build()
                        .hasCallers())
                .isTrue();
    }

    @Test
    void passwordInPlaceOfAHashIsNotShown() {
        assertThatThrownBy(() -> builder.user("ann", "hunter2", VIEWER))
                .hasMessageStartingWith("user 'ann': password hash is not accepted")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> builder.token("ci", "ostraka_hunter2", Instant.EPOCH, VIEWER))
                .hasMessageStartingWith("token 'ci': digest of the token is not accepted")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> proxy("X-User", null, "hunter2")).hasMessageNotContaining("hunter2");
    }

    @Test
    void callersHaveDistinctNamesAndAtLeastOneGrant() {
        builder.user("ann", HASH, VIEWER).token("ci", DIGEST, Instant.EPOCH, VIEWER);

        assertThatThrownBy(() -> builder.user("ann", HASH, VIEWER)).hasMessageContaining("choose another name");
        assertThatThrownBy(() -> builder.user("ci", HASH, VIEWER)).hasMessageContaining("choose another name");
        assertThatThrownBy(() -> builder.token("ann", Tokens.digest("y"), Instant.EPOCH, VIEWER))
                .hasMessageContaining("choose another name");
        assertThatThrownBy(() -> builder.token("cd", DIGEST, Instant.EPOCH, VIEWER))
                .hasMessage("token 'cd' has the digest of token 'ci'; create a token for each program");
        assertThatThrownBy(() -> builder.user("bob", HASH, List.of())).hasMessageContaining("has no grant");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ann", "ann\n", "a\u0000b", "a\u202eb", "\ud800"})
    void namesAreVisible(String name) {
        assertThatThrownBy(() -> builder.user(name, HASH, VIEWER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("accepted: 1 to 128 visible characters");
    }

    @Test
    void namesHaveAtMost128Characters() {
        builder.user("x".repeat(128), HASH, VIEWER);

        assertThatThrownBy(() -> builder.user("x".repeat(129), HASH, VIEWER))
                .hasMessageContaining("'" + "x".repeat(128) + "…' is not accepted");
        assertThat(Names.printable("x".repeat(128))).isEqualTo("x".repeat(128));
        assertThat(Names.printable("a\tb\u0000c\ud800\u2028d")).isEqualTo("a?b?c??d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "console.example.com:8443", "http://console", "*", "a b", "[::1"})
    void hostsAreNamesWithoutPort(String host) {
        assertThatThrownBy(() -> builder.hosts(List.of(host)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host '" + host + "' is not accepted");
    }

    @Test
    void atLeastOneHostIsAccepted() {
        assertThatThrownBy(() -> builder.hosts(List.of()).build()).hasMessageContaining("name at least one");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "console.example.com", "https://", "https://a/b", "ftp://a", "null"})
    void publicOriginHasSchemeAndHost(String origin) {
        assertThatThrownBy(() -> builder.publicOrigin(origin).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("origin '" + origin + "' is not accepted");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X User", "X_User", "Host", "cookie", "Authorization", "X-Ostraka-Proxy-Secret", "X:"})
    void headerOfTheProxyHasNoOtherMeaning(String header) {
        assertThatThrownBy(() -> proxy(header, null, SECRET))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header '" + header + "' is not accepted");
        assertThatThrownBy(() -> proxy("X-User", header, SECRET)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void proxyHasALongSecretAndTwoHeaders() {
        assertThatThrownBy(() -> proxy("X-User", null, SECRET.substring(1))).hasMessageContaining("at least 32");
        assertThatThrownBy(() -> proxy("X-User", "x-user", SECRET)).hasMessageContaining("name two headers");
        assertThatThrownBy(() -> new TrustedProxy("X-User", null, SECRET, Map.of(), Map.of("ops", VIEWER)))
                .hasMessageContaining("need the name of the header");
    }

    @Test
    void grantsOfEveryoneAreAddedToThoseOfTheUser() {
        TrustedProxy proxy = new TrustedProxy(
                "X-User", null, SECRET, Map.of("*", VIEWER, "ann", List.of(Grant.parse("ADMIN orders"))), Map.of());
        Sent sent = Sent.get("/").with("x-ostraka-proxy-secret", SECRET);

        assertThat(proxy.user(sent.with("x-user", "ann").request())
                        .orElseThrow()
                        .grants())
                .containsExactlyInAnyOrder(Grant.parse("ADMIN orders"), Grant.parse("VIEWER"));
        assertThat(proxy.user(sent.with("x-user", "bob").request())
                        .orElseThrow()
                        .grants())
                .containsExactly(Grant.parse("VIEWER"));
        assertThat(proxy.user(sent.with("x-user").request())).isEmpty();
    }

    @Test
    void sessionsLastAMinuteToThirtyDays() {
        assertThatThrownBy(() -> builder.sessionIdle(Duration.ZERO)).hasMessageContaining("one minute to 30 days");
        assertThatThrownBy(() -> builder.sessionLength(Duration.ofDays(31)))
                .hasMessageContaining("one minute to 30 days");
        builder.sessionIdle(Duration.ofMinutes(1)).sessionLength(Duration.ofDays(30));
    }

    @Test
    void textOfTheSettingsHasNoSecret() {
        SecuritySettings settings = builder.user("ann", HASH, VIEWER)
                .token("ci", DIGEST, Instant.EPOCH, VIEWER)
                .proxy(proxy("X-User", null, SECRET))
                .build();

        assertThat(settings + " " + settings.users() + settings.tokens() + settings.proxy())
                .doesNotContain(DIGEST.substring(7), "AAAAAAAA", SECRET);
    }
}
