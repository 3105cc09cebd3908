package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.console.Problem;
import io.ostraka.fixtures.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoginPlacesTest {
    private final LoginPlaces places = new LoginPlaces();
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger verified = new AtomicInteger();
    private final List<Thread> logins = new ArrayList<>();

    /** Starts logins whose verification does not end before the release. Returns when all are verified or wait. */
    private void start(int number, String client) {
        for (int i = 0; i < number; i++) {
            Thread login = new Thread(() -> places.verify(client, this::verify));
            logins.add(login);
            login.start();
        }
        Eventually.holds(
                "the logins wait", () -> logins.stream().allMatch(each -> each.getState() == Thread.State.WAITING));
    }

    private boolean verify() {
        verified.incrementAndGet();
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return true;
    }

    @AfterEach
    void release() throws InterruptedException {
        release.countDown();
        for (Thread each : logins) {
            each.join();
        }
        assertThat(verified).hasValue(logins.size());
        assertThat(places.<String>verify("192.0.2.1", () -> "later")).isEqualTo("later");
    }

    private void assertRefused(String client) {
        assertThatThrownBy(() -> places.verify(client, () -> true)).isInstanceOfSatisfying(Problem.class, problem -> {
            assertThat(problem.code()).isEqualTo(Problem.Code.TOO_MANY_REQUESTS);
            assertThat(problem.response().headers()).containsEntry("Retry-After", "1");
        });
    }

    @Test
    void networkThatSendsManyLoginsDoesNotKeepOthersOut() {
        start(LoginPlaces.MOST_OF_NETWORK, "2001:db8::1");

        assertThat(verified).hasValue(LoginPlaces.OF_NETWORK);
        assertRefused("2001:db8::2");
        assertThat(places.<String>verify("192.0.2.1", () -> "at once")).isEqualTo("at once");
    }

    @Test
    void fewPasswordsAreVerifiedAtOnceAndFewLoginsWait() {
        for (int i = 0; i < LoginPlaces.MOST / 2; i++) {
            start(2, "192.0.2." + i);
        }

        assertThat(verified).hasValue(LoginPlaces.AT_ONCE);
        assertRefused("198.51.100.7");
    }
}
