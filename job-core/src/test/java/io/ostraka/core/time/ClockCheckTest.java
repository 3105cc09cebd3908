package io.ostraka.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.CapturedErrors;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClockCheckTest {
    private static final Instant ZERO = Instant.parse("2026-01-31T12:00:00Z");

    private final CapturedErrors said = new CapturedErrors();
    private Duration passed = Duration.ZERO;
    private Duration ahead = Duration.ZERO;

    private final ClockCheck check = new ClockCheck(() -> ZERO.plus(passed), new Clock() {
        @Override
        public Instant now() {
            return ZERO.plus(passed).plus(ahead);
        }

        @Override
        public long monotonicNanos() {
            return passed.toNanos();
        }
    });

    @AfterEach
    void stopCapturing() {
        said.close();
    }

    private void setClock(long millisAhead) {
        ahead = Duration.ofMillis(millisAhead);
    }

    private void pass(int seconds) {
        passed = passed.plusSeconds(seconds);
    }

    @Test
    void acceptsDifferenceOfTenSecondsEitherWay() {
        for (long millis : new long[] {0, 10_000, -10_000}) {
            setClock(millis);

            assertThat(check.due()).isFalse();
            assertThat(check.compared()).isFalse();
            assertThat(check.ahead()).isFalse();
        }
    }

    @Test
    void clockAheadIsDistrustedAtOnceAndFoundByNextWrite() {
        setClock(10_001);

        assertThat(check.ahead()).isTrue();
        assertThat(check.due()).isTrue();
        assertThat(check.foundAhead()).isFalse();
        assertThat(check.compared()).isTrue();
        assertThat(check.foundAhead()).isTrue();
    }

    @Test
    void logsFindingOnlyWhenItChanges() {
        setClock(60_000);
        assertThat(check.compared()).isTrue();
        assertThat(check.compared()).isFalse();
        setClock(-60_000);
        assertThat(check.compared()).isTrue();
        assertThat(check.foundAhead()).isFalse();
        assertThat(check.compared()).isFalse();
        setClock(0);
        assertThat(check.compared()).isTrue();
        assertThat(check.compared()).isFalse();
        assertThat(said.text()).containsOnlyOnce("clock is PT1M ahead").containsOnlyOnce("clock is PT1M behind");
    }

    @Test
    void wrongClockIsRightAgainWithinFiveSeconds() {
        for (int direction : new int[] {1, -1}) {
            setClock(direction * 10_001);
            check.compared();
            setClock(direction * 5_001);
            assertThat(check.compared()).isFalse();
            setClock(direction * 5_000);
            assertThat(check.compared()).isTrue();
        }
        assertThat(check.ahead()).isFalse();
    }

    @Test
    void requestsComparisonRegularlyOnlyForWrongClock() {
        pass(3600);
        assertThat(check.due()).isFalse();
        setClock(-20_000);
        assertThat(check.due()).isTrue();
        check.compared();
        assertThat(check.due()).isFalse();
        pass(10);
        assertThat(check.due()).isTrue();
    }

    @Test
    void futureBeginsBeyondTolerance() {
        assertThat(check.latest()).isEqualTo(ZERO.plusSeconds(10));
    }
}
