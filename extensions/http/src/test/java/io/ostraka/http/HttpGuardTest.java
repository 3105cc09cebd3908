package io.ostraka.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which targets a request may have. No test uses a name server. */
class HttpGuardTest {
    private static HttpGuard guard(List<String> allowed, String... privates) {
        return new HttpGuard(allowed, List.of(privates), host -> {
            if (host.equals("billing.test")) {
                return new InetAddress[] {InetAddress.getByName("93.184.216.34")};
            }
            if (host.equals("inner.test")) {
                return new InetAddress[] {InetAddress.getByName("93.184.216.34"), InetAddress.getByName("10.1.2.3")};
            }
            return InetAddress.getAllByName(host.replaceAll("[\\[\\]]", ""));
        });
    }

    private static InetAddress resolved(HttpGuard guard, String uri) throws UnknownHostException {
        return guard.resolve(URI.create(uri));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "127.0.0.1",
                "127.1.2.3",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.8",
                "192.168.1.1",
                "198.19.0.1",
                "224.0.0.1",
                "239.1.1.1",
                "255.255.255.255",
                "::",
                "::1",
                "fe80::1",
                "fec0::1",
                "fc00::1",
                "fd12:3456::1",
                "ff02::1",
                "::ffff:10.0.0.1",
                "::ffff:127.0.0.1",
                "::127.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::1",
                "2002:7f00:1::",
                "2001::1",
                "2001:db8::1"
            })
    void anAddressThatIsNotPublicIsKnownAsSuch(String address) throws UnknownHostException {
        assertThat(AddressRules.isPublic(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "93.184.216.34",
                "100.63.255.255",
                "100.128.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.169.0.0",
                "223.255.255.255",
                "2606:4700::1111",
                "2a00:1450:4001::200e",
                "64:ff9b::1.1.1.1",
                "::ffff:1.1.1.1"
            })
    void anAddressOfTheInternetIsPublic(String address) throws UnknownHostException {
        assertThat(AddressRules.isPublic(InetAddress.getByName(address))).isTrue();
    }

    @Test
    void allowsHostByNameAndPort() throws UnknownHostException {
        HttpGuard guard = guard(List.of("Billing.test", "8.8.8.8:8443"));

        assertThat(resolved(guard, "https://billing.TEST./settle").getHostAddress())
                .isEqualTo("93.184.216.34");
        assertThat(resolved(guard, "http://billing.test:81/").getHostAddress()).isEqualTo("93.184.216.34");
        assertThat(resolved(guard, "https://8.8.8.8:8443/").getHostAddress()).isEqualTo("8.8.8.8");
        for (String refused : List.of(
                "https://8.8.8.8/",
                "https://evil.test/",
                "https://billing.test.evil.test/",
                "ftp://billing.test/",
                "file:///etc/passwd")) {
            assertThatThrownBy(() -> resolved(guard, refused))
                    .as(refused)
                    .isInstanceOf(HttpGuard.Refused.class)
                    .hasMessageContaining("accepted");
        }
    }

    @Test
    void refusesNameWithPrivateAddressUnlessListed() throws UnknownHostException {
        assertThatThrownBy(() -> resolved(guard(List.of("inner.test")), "https://inner.test/"))
                .isInstanceOf(HttpGuard.Refused.class)
                .hasMessageContainingAll(
                        "inner.test", "10.1.2.3", "allowPrivateHosts(…)", "ostraka.allow.private-hosts");
        assertThatThrownBy(() -> resolved(guard(List.of("inner.test"), "inner.test:8080"), "https://inner.test/"))
                .isInstanceOf(HttpGuard.Refused.class);

        assertThat(resolved(guard(List.of("inner.test"), "inner.test"), "https://inner.test/"))
                .isNotNull();
        assertThatThrownBy(() -> resolved(guard(List.of(), "inner.test"), "https://inner.test/"))
                .as("to be allowed to be private is not to be allowed")
                .isInstanceOf(HttpGuard.Refused.class);
    }

    @Test
    void allowsListedAddressOfAnyKind() throws UnknownHostException {
        HttpGuard guard = guard(List.of("10.0.0.5", "[::1]:8080"));

        assertThat(resolved(guard, "http://10.0.0.5:99/").getHostAddress()).isEqualTo("10.0.0.5");
        assertThatThrownBy(() -> resolved(guard, "http://10.0.0.6/")).isInstanceOf(HttpGuard.Refused.class);
        assertThatThrownBy(() -> resolved(guard, "http://167772165/"))
                .as("the same address in other digits")
                .isInstanceOf(HttpGuard.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "http://billing.test", "billing.test/path", "*.billing.test", "user@billing.test", "a b"})
    void refusesEntryThatIsNoHost(String entry) {
        assertThatThrownBy(() -> guard(List.of(entry)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("accepted");
    }

    @ParameterizedTest
    @ValueSource(strings = {"billing.test", "ftp://billing.test/", "https://user:password@billing.test/", "https:///x"})
    void refusesUriThatIsNoTarget(String target) {
        assertThatThrownBy(() -> HttpGuard.of(URI.create(target), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("password@");
    }
}
