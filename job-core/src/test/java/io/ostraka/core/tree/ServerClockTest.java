package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ServerClockTest {
    private static final Instant ZERO = Instant.parse("2026-01-31T12:00:00Z");

    private Instant wall = ZERO;
    private long nanos = -4_000_000_000L;

    private final ServerClock server = new ServerClock(new Clock() {
        @Override
        public Instant now() {
            return wall;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }
    });

    private void pass(long millis) {
        nanos += Duration.ofMillis(millis).toNanos();
        wall = wall.plusMillis(millis);
    }

    private void written(Instant at, long tookMillis) {
        long sent = nanos;
        pass(tookMillis);
        server.answered(at, sent);
    }

    @Test
    void returnsOwnClockBeforeFirstAnswer() {
        assertThat(server.now()).isEqualTo(ZERO);
    }

    @Test
    void ignoresJumpsOfWallClock() {
        written(ZERO.plusSeconds(100), 0);
        pass(2_500);
        wall = wall.plus(Duration.ofHours(1));

        assertThat(server.now()).isEqualTo(ZERO.plusMillis(102_500));
    }

    @Test
    void lateAnswerMovesEstimateNoFurtherThanNecessary() {
        written(ZERO, 0);

        written(ZERO, 60_000); // written at once, answered a minute later
        assertThat(server.now()).isEqualTo(ZERO.plusSeconds(60));
        written(ZERO.plusSeconds(120), 60_000); // written just before the answer
        assertThat(server.now()).isEqualTo(ZERO.plusSeconds(120));
    }

    @Test
    void contradictingAnswerMovesEstimateBothWays() {
        written(ZERO, 0);

        written(ZERO.plusSeconds(30), 4_000);
        assertThat(server.now()).isEqualTo(ZERO.plusSeconds(30));
        written(ZERO, 4_000);
        assertThat(server.now()).isEqualTo(ZERO.plusSeconds(4));
    }
}
