package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests whose address counts as that of the client. */
class TrustedProxyTest {
    private static final String SECRET = "a secret of thirty-two characters".replace(' ', '-');

    private final TrustedProxy proxy = new TrustedProxy("X-User", null, SECRET, Map.of(), Map.of());

    @Test
    void clientIsTheLastAddressThatTheProxyHasAdded() {
        Sent login = Sent.login("ann", "x").from("10.0.0.1").with("x-ostraka-proxy-secret", SECRET);

        assertThat(proxy.client(
                        login.with("x-forwarded-for", "198.51.100.9, 192.0.2.7").request()))
                .isEqualTo("192.0.2.7");
        assertThat(proxy.client(login.with("x-forwarded-for", "198.51.100.9", "192.0.2.7")
                        .request()))
                .isEqualTo("192.0.2.7");
        assertThat(proxy.client(login.with("x-forwarded-for").request())).isEqualTo("10.0.0.1");
    }

    @Test
    void addressOfARequestWithoutTheSecretIsThatOfItsConnection() {
        Sent login = Sent.login("ann", "x").from("10.0.0.1").with("x-forwarded-for", "192.0.2.7");

        assertThat(proxy.client(login.request())).isEqualTo("10.0.0.1");
        assertThat(proxy.client(login.with("x-ostraka-proxy-secret", "wrong").request()))
                .isEqualTo("10.0.0.1");
    }
}
