package io.ostraka.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PausesTest {
    private final Pauses pauses = new Pauses(Duration.ofSeconds(30));

    @Test
    void pauseDiffersByUpToAFifth() {
        assertThat(pauses.next(0, 0, Duration.ZERO)).isEqualTo(Duration.ofSeconds(24));
        assertThat(pauses.next(0, 1, Duration.ZERO)).isEqualTo(Duration.ofSeconds(36));
        assertThat(pauses.first(0.5)).isEqualTo(Duration.ofSeconds(15));
    }

    @Test
    void pauseGrowsWithFailuresToFiveMinutes() {
        assertThat(pauses.next(1, 1, Duration.ZERO)).isEqualTo(Duration.ofMinutes(1));
        assertThat(pauses.next(2, 1, Duration.ZERO)).isEqualTo(Duration.ofMinutes(2));
        assertThat(pauses.next(3, 1, Duration.ZERO)).isEqualTo(Duration.ofMinutes(4));
        assertThat(pauses.next(4, 1, Duration.ZERO)).isEqualTo(Duration.ofMinutes(5));
        assertThat(pauses.next(1_000_000, 0, Duration.ZERO))
                .isEqualTo(Duration.ofMinutes(5).dividedBy(2));
        assertThat(new Pauses(Duration.ofHours(1)).next(3, 1, Duration.ZERO)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void platformMayAskForALongerPauseWithinTheLimit() {
        assertThat(pauses.next(1, 0, Duration.ofSeconds(90))).isEqualTo(Duration.ofSeconds(90));
        assertThat(pauses.next(1, 1, Duration.ofSeconds(90))).isEqualTo(Duration.ofSeconds(120));
        assertThat(pauses.next(1, 0, Duration.ofDays(1))).isEqualTo(Duration.ofMinutes(5));
    }
}
