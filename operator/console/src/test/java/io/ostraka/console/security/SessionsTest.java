package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the life of sessions. */
class SessionsTest {
    private final ManualClock clock = new ManualClock();
    private final Sessions sessions = new Sessions(Duration.ofMinutes(30), Duration.ofHours(12), clock);

    private static GrantedCaller caller(String name) {
        return new GrantedCaller(name, "session", new Grants(List.of(), (namespace, job) -> Map.of()));
    }

    @Test
    void idHas256RandomBits() {
        assertThat(sessions.start(caller("ann"), "192.0.2.1"))
                .matches("[A-Za-z0-9_-]{43}")
                .isNotEqualTo(sessions.start(caller("ann"), "192.0.2.1"));
    }

    @Test
    void sessionWithoutRequestsEndsAfterHalfAnHour() {
        String id = sessions.start(caller("ann"), "192.0.2.1");

        clock.advance(Duration.ofMinutes(30).minusNanos(1));
        assertThat(sessions.find(id, true)).map(GrantedCaller::name).contains("ann");
        clock.advance(Duration.ofMinutes(30).minusNanos(1));
        assertThat(sessions.find(id, true)).isPresent();
        clock.advance(Duration.ofMinutes(30));
        assertThat(sessions.find(id, true)).isEmpty();
        assertThat(sessions.size()).isZero();
    }

    @Test
    void checkOfAnOpenStreamDoesNotKeepTheSession() {
        String id = sessions.start(caller("ann"), "192.0.2.1");

        clock.advance(Duration.ofMinutes(20));
        assertThat(sessions.find(id, false)).isPresent();
        clock.advance(Duration.ofMinutes(10));
        assertThat(sessions.find(id, false)).isEmpty();
    }

    @Test
    void usedSessionEndsAfterTwelveHours() {
        String id = sessions.start(caller("ann"), "192.0.2.1");

        for (int i = 1; i < 12 * 4; i++) {
            clock.advance(Duration.ofMinutes(15));
            assertThat(sessions.find(id, true)).isPresent();
        }
        clock.advance(Duration.ofMinutes(15));
        assertThat(sessions.find(id, true)).isEmpty();
    }

    @Test
    void endedSessionIsUnknown() {
        String ended = sessions.start(caller("ann"), "192.0.2.1");
        String other = sessions.start(caller("ann"), "192.0.2.1");

        sessions.end(ended);
        sessions.end("unknown");

        assertThat(sessions.find(ended, true)).isEmpty();
        assertThat(sessions.find(other, true)).isPresent();
    }

    @Test
    void newSessionBeyondTheBoundEndsTheOneThatWasIdleTheLongest() {
        String first = sessions.start(caller("ann"), "192.0.2.1");
        String second = sessions.start(caller("bob"), "192.0.2.1");
        for (int i = 2; i < Sessions.MOST; i++) {
            sessions.start(caller("user-" + i), "192.0.2.1");
        }
        sessions.find(first, true);

        sessions.start(caller("one more"), "192.0.2.1");

        assertThat(sessions.size()).isEqualTo(Sessions.MOST);
        assertThat(sessions.find(first, true)).isPresent();
        assertThat(sessions.find(second, true)).isEmpty();
    }
}
