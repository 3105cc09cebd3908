package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ostraka.console.Problem;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the limit of failed logins. */
class LoginLimitTest {
    private final ManualClock clock = new ManualClock();
    private final LoginLimit limit = new LoginLimit(clock);

    private void fail(int times, String user, String client) {
        for (int i = 0; i < times; i++) {
            limit.begin(user, client);
        }
    }

    private void fail(int times, String user, String client, Duration pause) {
        for (int i = 0; i < times; i++) {
            clock.advance(pause);
            limit.begin(user, client);
        }
    }

    private void assertAccepted(String user, String client) {
        assertThatCode(() -> limit.begin(user, client)).doesNotThrowAnyException();
    }

    private void assertRefused(String user, String client, String seconds) {
        Problem problem = catchThrowableOfType(Problem.class, () -> limit.begin(user, client));
        assertThat(problem).isNotNull();
        assertThat(problem.response().status()).isEqualTo(429);
        assertThat(problem.response().headers()).containsEntry("Retry-After", seconds);
    }

    @Test
    void furtherFailuresWaitLongerAndLonger() {
        fail(5, "ann", "192.0.2.1");

        for (String seconds : List.of("1", "2", "4", "8", "16", "30", "30")) {
            assertRefused("ann", "192.0.2.1", seconds);
            clock.advance(Duration.ofSeconds(Long.parseLong(seconds)).minusMillis(1));
            assertRefused("ann", "192.0.2.1", "1");
            clock.advance(Duration.ofMillis(1));
            assertAccepted("ann", "192.0.2.1");
        }
        clock.advance(LoginLimit.PERIOD);
        fail(5, "ann", "192.0.2.1");
    }

    @Test
    void attackerLocksOutNeitherTheUserElsewhereNorOtherUsers() {
        fail(5, "ann", "192.0.2.1");

        assertAccepted("ann", "198.51.100.7");
        assertAccepted("bob", "192.0.2.1");
    }

    @Test
    void peopleBehindOneProxyAreNotLockedOutByFailuresOfOthers() {
        for (int i = 0; i < 100; i++) {
            limit.begin("user-" + i, "192.0.2.1");
        }

        assertAccepted("ann", "192.0.2.1");
    }

    @Test
    void failuresFromManyAddressesSlowDownTheUserALittle() {
        for (int i = 0; i < 20; i++) {
            limit.begin("ann", "192.0.2." + i);
        }

        assertRefused("ann", "198.51.100.7", "1");
        assertAccepted("bob", "198.51.100.7");
        clock.advance(Duration.ofSeconds(1));
        assertAccepted("ann", "198.51.100.7");
        assertRefused("ann", "198.51.100.8", "1");
    }

    @Test
    void successResetsTheUser() {
        fail(5, "ann", "192.0.2.1");
        limit.succeeded("ann", "192.0.2.1");
        fail(5, "ann", "192.0.2.1");
        assertRefused("ann", "192.0.2.1", "1");
    }

    @Test
    void successesAloneAreNeverRefused() {
        for (int i = 0; i < 100; i++) {
            limit.begin("ann", "192.0.2.1");
            limit.succeeded("ann", "192.0.2.1");
        }

        assertAccepted("ann", "192.0.2.1");
    }

    @Test
    void refusedAttemptsDoNotExtendThePause() {
        fail(9, "ann", "192.0.2.1", Duration.ofSeconds(20));
        for (int i = 0; i < 50; i++) {
            assertRefused("ann", "192.0.2.1", "16");
        }
        clock.advance(Duration.ofSeconds(16));

        assertAccepted("ann", "192.0.2.1");
    }

    @Test
    void hostWithManyIpv6AddressesIsOneClient() {
        for (int i = 0; i < 5; i++) {
            limit.begin("ann", "2001:db8:0:1::" + i);
        }

        assertRefused("ann", "2001:db8:0:1:ffff::1", "1");
        assertAccepted("ann", "2001:db8:0:2::1");
    }

    @Test
    void memoryIsBounded() {
        for (int i = 0; i < 3 * LoginLimit.MOST; i++) {
            limit.begin("user-" + i, "client-" + i);
        }
        assertThat(limit.size()).isEqualTo(LoginLimit.MOST);

        clock.advance(LoginLimit.PERIOD);
        limit.begin("ann", "192.0.2.1");
        assertThat(limit.size()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "2001:db8::1, 20010db800000000/64",
        "[2001:db8::1], 20010db800000000/64",
        "fe80::1%eth0, fe80000000000000/64",
        "::ffff:192.0.2.1, 192.0.2.1",
        "host.example:80, host.example:80",
        "dead:beef, dead:beef",
        ".:a, .:a",
        "2001:db8:g::1, 2001:db8:g::1",
        "2001:db8::1::1, 2001:db8::1::1",
        "%eth0, %eth0",
        "'', ''",
        "in-process, in-process"
    })
    void clientIsCountedByItsNetwork(String client, String network) {
        assertThat(Networks.of(client)).isEqualTo(network);
    }
}
